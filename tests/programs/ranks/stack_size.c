// smpi: ranks 3
// smpi: requires smpi
// smpi: compile-args -O0
// smpi: smpirun-args --stack-size=64MiB
// smpi: expect-stdout 0: 50 frames of 1 MiB
// smpi: expect-stdout 1: 50 frames of 1 MiB
// smpi: expect-stdout 2: 50 frames of 1 MiB
/* With --stack-size a rank may use more stack than the default of 8 MiB. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int nest(int left)
{
    volatile char frame[1 << 20];
    for (int i = 0; i < 1 << 20; i += 4096)
        frame[i] = (char)left;
    if (left == 1)
        MPI_Barrier(MPI_COMM_WORLD);
    return left == 1 ? 1 : nest(left - 1) + (frame[4096] == (char)left);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("%d: %d frames of 1 MiB\n", rank, nest(50));
    MPI_Finalize();
    return 0;
}
