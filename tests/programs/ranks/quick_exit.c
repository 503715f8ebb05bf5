// smpi: ranks 3
// smpi: requires smpi
// smpi: expect-exit 3
// smpi: expect-stdout 0: normal handler
// smpi: expect-stdout 1: quick handler
// smpi: expect-stdout 2: printed without a line end
/* quick_exit runs its own handlers only, _Exit none at all; what was printed appears all the same. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank;

static void normal(void) { printf("%d: normal handler\n", rank); }
static void quick(void) { printf("%d: quick handler\n", rank); }

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    atexit(normal);
    at_quick_exit(quick);
    MPI_Finalize();
    if (rank == 0)
        exit(0);
    if (rank == 1)
        quick_exit(3);
    printf("%d: printed without a line end", rank);
    _Exit(4);
}
