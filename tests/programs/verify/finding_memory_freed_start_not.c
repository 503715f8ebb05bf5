/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: passes memory/freed request/never-started */
/* A buffer is freed after its persistent request, or before it if that is not started any more; and what was kept for such
 * a request comes back with it: else the heap would be too small. */
/* smpi: smpirun-args --heap-size=8MiB */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, sum = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 40; round++) {
        int *block = calloc(1 << 18, sizeof(int)), *other;
        assert(block);
        block[0] = round;
        if (rank == 0)
            MPI_Send_init(block, 1 << 18, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        else
            MPI_Recv_init(block, 1 << 18, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sum += block[0];
        if (round % 2)
            free(block);
        other = malloc(8);
        MPI_Request_free(&request);
        if (round % 2 == 0)
            free(block);
        free(other);
    }
    assert(sum == 780);
    MPI_Finalize();
    return 0;
}
