/* smpi: ranks 2 */
/* smpi: platform profiles.xml */
/* smpi: smpirun-args --cfg=smpi/wtime:0 --summary */
/* smpi: expect-pass */
/* smpi: expect-time 46.175754874 tolerance 1e-10 */
/* smpi: expect-stderr-contains energy:         5311.585 J of these hosts, 5311.585 J of all */
/* smpi: requires smpi */
/* SimGrid's profiles, and its energy plugins. The times and joules are those of SimGrid 3.32
 * (--cfg=network/optim:Full --cfg=cpu/optim:Full, --cfg=plugin:host_energy). Links are left out: SimGrid notes their use at the starts
 * and ends of messages only, and here it is the integral. */
#include "../check.h"
#include <smpi/smpi.h>

#define MOST 4000000

int main(int argc, char** argv)
{
    int rank;
    char* data = malloc(MOST);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 8; round++) {
        int size = 500000 * (round + 1);
        if (rank == 0) {
            smpi_execute_flops(30e6 * (1 + round % 3));
            MPI_Send(data, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(data, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(data, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
        printf("PASS at %.9f\n", MPI_Wtime());
    free(data);
    MPI_Finalize();
    return 0;
}
