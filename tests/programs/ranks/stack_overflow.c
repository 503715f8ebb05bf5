// smpi: ranks 3
// smpi: compile-args -g -O0
// smpi: requires smpi
// smpi: expect-exit 139
// smpi: expect-stderr-contains rank 1: stack overflow in recurse (
// smpi: expect-stderr-contains stack_overflow.c:
// smpi: expect-stderr-contains --stack-size=
// smpi: expect-stderr-contains MPI_Barrier
/* Endless recursion: the message names rank, function and the option that gives a larger stack. */
#include <mpi.h>
#include <stdio.h>

static volatile int depth;

static int recurse(int level)
{
    volatile char frame[1000];
    frame[0] = (char)level;
    depth = level;
    return recurse(level + 1) + frame[0];
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        printf("%d\n", recurse(0));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
