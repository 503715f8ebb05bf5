/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 */
/* smpi: verify --keep-going */
/* smpi: expect-finding memory/freed */
/* smpi: expect-stderr-contains MPI_Start starts MPI_Send_init */
/* smpi: expect-stderr-contains starts MPI_Recv_init */
/* smpi: expect-stderr-contains starts MPI_Bcast_init */
/* smpi: expect-stderr-contains starts MPI_Psend_init */
/* smpi: expect-stderr-contains MPI_Startall starts MPI_Allreduce_init */
/* smpi: expect-stderr-contains freed here */
/* Persistent requests are started after their buffers were freed, or moved; another block would lie in the place of one. */
#include <mpi.h>
#include <stdlib.h>

static void run(MPI_Request *request, int *block)
{
    free(block);
    int *volatile other = calloc(10, sizeof(int));
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Request_free(request);
    free(other);
}

static int *block(void)
{
    return calloc(10, sizeof(int));
}

int main(int argc, char **argv)
{
    int rank, other[10] = {0}, *moved;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 2; round++) {
        int *mine = block();
        if (rank == round)
            MPI_Send_init(mine, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
        else
            MPI_Recv_init(mine, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
        run(&request, mine);
    }
    int *mine = block();
    MPI_Bcast_init(mine, 10, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    run(&request, mine);
    mine = block();
    MPI_Allreduce_init(other, mine, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    moved = realloc(mine, 100000);
    MPI_Startall(1, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    free(moved);
    mine = block();
    if (rank == 0)
        MPI_Psend_init(mine, 2, 5, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(other, 2, 5, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    free(mine);
    MPI_Start(&request);
    if (rank == 0)
        MPI_Pready_range(0, 1, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
