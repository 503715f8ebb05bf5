/* Rank 0 receives so many messages of each of the others, of anybody. It knows where a variable of its environment is. */
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int rank, size, from, sum = 0, each = atoi(argv[1]);
    const char *volatile path = getenv("PATH");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < each * (size - 1) && rank == 0; i++) {
        MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = sum * 4 + from;
    }
    for (int i = 0; i < each && rank > 0; i++) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return path == 0;
}
