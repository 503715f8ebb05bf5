/* All ranks meet, a number of times given as the argument. Measures the smallest collective on many ranks. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 10;

    MPI_Init(&argc, &argv);
    for (int i = 0; i < times; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
