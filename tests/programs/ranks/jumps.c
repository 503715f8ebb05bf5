// smpi: ranks 3
// smpi: expect-stdout 0: jumped back 3 times
// smpi: expect-stdout 1: jumped back 4 times
// smpi: expect-stdout 2: jumped back 5 times
/* setjmp and longjmp over frames that called MPI. */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>

static jmp_buf place;

static void deep(int levels)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (levels == 0)
        longjmp(place, 1);
    deep(levels - 1);
}

int main(int argc, char **argv)
{
    int rank;
    static int jumps;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (setjmp(place) != 0)
        jumps++;
    /* Every rank calls 60 barriers in all. */
    static const int levels[3][5] = {{19, 19, 19}, {14, 14, 14, 14}, {11, 11, 11, 11, 11}};
    if (jumps < 3 + rank)
        deep(levels[rank][jumps]);
    printf("%d: jumped back %d times\n", rank, jumps);
    MPI_Finalize();
    return 0;
}
