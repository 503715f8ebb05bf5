// smpi: ranks 4
// smpi: compile-args -g
// smpi: requires smpi
// smpi: expect-exit 134
// smpi: expect-stdout 0 was here
// smpi: expect-stdout 1 was here
// smpi: expect-stdout 2 was here
// smpi: expect-stdout 3 was here
// smpi: expect-stderr-contains rank 2: SIGABRT
// smpi: expect-stderr-contains breaks_here (
// smpi: expect-stderr-contains crash_assert.c:21
// smpi: expect-stderr-contains MPI_Barrier
// smpi: expect-stderr-contains Assertion
/* A failed assertion ends the run: the message names rank, signal, place and the MPI call before; nothing printed is lost. */
#include <assert.h>
#include <mpi.h>
#include <stdio.h>

__attribute__((noinline)) static void breaks_here(int rank)
{
    assert(rank != 2);
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
