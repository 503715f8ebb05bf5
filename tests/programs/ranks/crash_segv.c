// smpi: ranks 4
// smpi: compile-args -g
// smpi: requires smpi
// smpi: expect-exit 139
// smpi: expect-stdout 0 was here
// smpi: expect-stdout 1 was here
// smpi: expect-stdout 2 was here
// smpi: expect-stdout 3 was here
// smpi: expect-stderr-contains rank 2: SIGSEGV
// smpi: expect-stderr-contains breaks_here (
// smpi: expect-stderr-contains crash_segv.c:23
// smpi: expect-stderr-contains MPI_Barrier
// smpi: expect-stderr-contains through a null pointer
/* A write through a null pointer ends the run: the message names rank, signal, place and the MPI call before; nothing printed is lost. */
#include <mpi.h>
#include <stdio.h>

static int *volatile nowhere;

__attribute__((noinline)) static void breaks_here(int rank)
{
    if (rank == 2)
        *nowhere = rank;
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
