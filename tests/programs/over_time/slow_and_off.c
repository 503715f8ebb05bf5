/* smpi: ranks 2 */
/* smpi: platform slow.toml */
/* smpi: expect-pass */
/* smpi: expect-time 6.252 */
/* smpi: smpirun-args --cfg=smpi/wtime:0 */
/* smpi: requires smpi */
/* 2 Gflop: 1 by 1 s, 1 by 3 s. Then 125 MB: 2 ms of latency, 0.998 s until the link stops at 4 s, and the rest, 25.2 MB,
 * when it is back. */
#include "../check.h"
#include <smpi/smpi.h>
#include <stdlib.h>

#define SIZE (125000000 - 16)

int main(int argc, char** argv)
{
    int rank;
    char* data = calloc(SIZE, 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        smpi_execute_flops(2e9);
        CHECK_INT((int)(MPI_Wtime() * 1000 + 0.5), 3000);
        MPI_Send(data, SIZE, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data, SIZE, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("PASS\n");
    }
    free(data);
    MPI_Finalize();
    return 0;
}
