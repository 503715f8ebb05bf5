/* All ranks add up one number, a number of times given as the argument. Measures collectives on many ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, times = argc > 1 ? atoi(argv[1]) : 10;
    double mine, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine = rank;
    for (int i = 0; i < times; i++)
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (sum != 0.5 * size * (size - 1)) {
        fprintf(stderr, "allreduce: wrong sum %g on rank %d\n", sum, rank);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
