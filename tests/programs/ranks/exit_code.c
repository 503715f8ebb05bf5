// smpi: ranks 4
// smpi: requires smpi
// smpi: expect-exit 7
// smpi: expect-stdout 0 returns 0
// smpi: expect-stdout 1 returns 0
// smpi: expect-stdout 2 returns 7
// smpi: expect-stdout 3 returns 9
// smpi: expect-stderr-contains rank 2 ended with exit code 7
// smpi: expect-stderr-contains and 1 more rank
/* The run has the exit code of the lowest rank whose code is not 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, code;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    code = rank == 2 ? 7 : rank == 3 ? 9 : 0;
    MPI_Finalize();
    printf("%d returns %d\n", rank, code);
    if (rank == 3)
        exit(code);
    return code;
}
