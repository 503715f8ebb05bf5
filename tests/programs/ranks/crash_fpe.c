// smpi: ranks 4
// smpi: compile-args -g
// smpi: requires smpi
// smpi: expect-exit 136
// smpi: expect-stdout 0 was here
// smpi: expect-stdout 1 was here
// smpi: expect-stdout 2 was here
// smpi: expect-stdout 3 was here
// smpi: expect-stderr-contains rank 2: SIGFPE
// smpi: expect-stderr-contains breaks_here (
// smpi: expect-stderr-contains crash_fpe.c:22
// smpi: expect-stderr-contains MPI_Barrier
/* A division by zero ends the run: the message names rank, signal, place and the MPI call before; nothing printed is lost. */
#include <mpi.h>
#include <stdio.h>

static volatile int divisor, quotient;

__attribute__((noinline)) static void breaks_here(int rank)
{
    if (rank == 2)
        quotient = 10 / divisor;
    printf("%d goes on\n", rank);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("%d was here\n", rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank >= 2)
        breaks_here(rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
