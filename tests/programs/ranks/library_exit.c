// smpi: ranks 3
// smpi: requires smpi
// smpi: library parts/quits.c
// smpi: expect-exit 4
// smpi: expect-stdout 0: handler
// smpi: expect-stdout 1: handler
// smpi: expect-stdout 2: handler
// smpi: expect-stdout 0: went on
/* exit() inside a shared library ends the rank that called it, not the others. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void quit_with(int code);

static int rank;

static void handler(void) { printf("%d: handler\n", rank); }

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    atexit(handler);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank > 0)
        quit_with(3 + rank);
    printf("%d: went on\n", rank);
    return 0;
}
