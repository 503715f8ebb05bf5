/* Pairs of ranks on two sides of one link exchange a megabyte each, all at once. */
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *buffer = calloc(1, 1000000);
    MPI_Request request;
    for (int step = 0; step < 5; step++) {
        if (rank < size / 2)
            MPI_Isend(buffer, 1000000, MPI_CHAR, rank + size / 2, 0, MPI_COMM_WORLD, &request);
        else
            MPI_Irecv(buffer, 1000000, MPI_CHAR, rank - size / 2, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    free(buffer);
    MPI_Finalize();
    return 0;
}
