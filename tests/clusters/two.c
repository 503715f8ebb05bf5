/* Rank 0 receives 250 messages of each of the others, of anybody; the first one of a rank that is given, if one is. */
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int rank, size, from, sum = 0, first = argc > 1 ? atoi(argv[1]) : MPI_ANY_SOURCE;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 250 * (size - 1) && rank == 0; i++) {
        MPI_Recv(&from, 1, MPI_INT, i ? MPI_ANY_SOURCE : first, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += from;
    }
    for (int i = 0; i < 250 && rank > 0; i++) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
