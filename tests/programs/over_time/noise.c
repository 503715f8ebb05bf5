/* smpi: ranks 4 */
/* smpi: expect-pass */
/* smpi: smpirun-args --noise 1kHz:100us:3 */
/* smpi: twice */
/* smpi: requires smpi */
/* Noise of a tenth of the time makes ranks slower by about that, each by another amount. */
#include "../check.h"
#include <smpi/smpi.h>

/* Of a core of the platform, in flop/s. */
#define SPEED 1e9

int main(int argc, char** argv)
{
    int rank;
    double took, all[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    took = MPI_Wtime();
    smpi_execute_flops(SPEED);
    took = MPI_Wtime() - took;
    CHECK(took > 1.05 && took < 1.2);
    MPI_Allgather(&took, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int other = 0; other < 4; other++)
        CHECK(other == rank || all[other] != took);
    if (rank == 0)
        printf("PASS\n");
    MPI_Finalize();
    return 0;
}
