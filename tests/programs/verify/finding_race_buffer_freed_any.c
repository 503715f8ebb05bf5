/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 */
/* smpi: verify --keep-going */
/* smpi: expect-finding race/buffer */
/* smpi: expect-stderr-contains receive buffer of MPI_Irecv before */
/* smpi: expect-stderr-contains receive buffer of MPI_Iallreduce before */
/* smpi: expect-stderr-contains receive buffer of MPI_Iallgather before */
/* smpi: expect-stderr-contains receive buffer of MPI_Iscan before */
/* smpi: expect-stderr-contains receive buffer of MPI_Ialltoall before */
/* smpi: expect-stderr-contains receive buffer of MPI_Ireduce_scatter_block before */
/* The receive buffer of an operation under way is freed, and small enough for all of it to be links between free blocks:
 * what comes must not be written over them, else the heap is damaged before anything is said. */
#include <mpi.h>
#include <stdlib.h>

static int sent[16];

static int *block(void)
{
    return calloc(10, sizeof(int));
}

static void lose(int *memory, MPI_Request *request)
{
    free(memory);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    free(malloc(40));
    free(malloc(10));
}

int main(int argc, char **argv)
{
    int rank, *m;
    MPI_Request r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    m = block();
    if (rank == 0)
        MPI_Isend(sent, 10, MPI_INT, 1, 0, MPI_COMM_WORLD, &r);
    else
        MPI_Irecv(m, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, &r);
    lose(m, &r);
    m = block();
    MPI_Iallreduce(sent, m, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
    lose(m, &r);
    m = block();
    MPI_Iallgather(sent, 5, MPI_INT, m, 5, MPI_INT, MPI_COMM_WORLD, &r);
    lose(m, &r);
    m = block();
    MPI_Iscan(sent, m, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
    lose(m, &r);
    m = block();
    MPI_Ialltoall(sent, 5, MPI_INT, m, 5, MPI_INT, MPI_COMM_WORLD, &r);
    lose(m, &r);
    m = block();
    MPI_Ireduce_scatter_block(sent, m, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
    lose(m, &r);
    MPI_Finalize();
    return 0;
}
