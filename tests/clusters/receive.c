/* Rank 0 receives so many messages of each of the others, of anybody, and may fail for some of the orders. */
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int rank, size, from, sum = 0, each = atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < each * (size - 1) && rank == 0; i++) {
        MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = sum * 4 + from;
    }
    for (int i = 0; i < each && rank > 0; i++) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (argc > 2 && rank == 0 && sum % atoi(argv[2]) == 0) abort();
    MPI_Finalize();
    return 0;
}
