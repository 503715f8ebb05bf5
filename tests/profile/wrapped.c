/* A wrapper of MPI_Barrier is called from two places. Rank 1 comes later by 0.5 s three times in step(), and by 0.25 s
   once in main(), so the two paths to the one barrier wait for different times. Hosts compute 1e9 flops in a second. */
#include <mpi.h>
#include <smpi/smpi.h>
#ifdef INLINED
#define CALLED inline __attribute__((always_inline))
#else
#define CALLED __attribute__((noinline))
#endif
static int rank;
static CALLED int synchronise(double secs)
{
    if (rank == 1)
        smpi_execute_flops(1e9 * secs);
    return MPI_Barrier(MPI_COMM_WORLD) + 1;
}
static CALLED int step(int number)
{
    return synchronise(0.5) + number;
}
int main(int argc, char **argv)
{
    int sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int number = 0; number < 3; number++)
        sum += step(number);
    sum += synchronise(0.25);
    MPI_Finalize();
    return sum != 7;
}
