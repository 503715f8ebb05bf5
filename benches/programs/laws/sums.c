/* All ranks add up one number, a number of times given as the argument. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 1;
    double mine = 1, sum;

    MPI_Init(&argc, &argv);
    for (int i = 0; i < times; i++)
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
