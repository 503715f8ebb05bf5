/* Collective operations in segments and two at a time wait for single messages. What a rank does behind such a wait is
 * explored as any other: both matchings of the receives from any source, before, during and after them, and no more. */
/* smpi: ranks 4 */
/* smpi: verify --collectives p2p --cfg=smpi/bcast:NTSL --cfg=smpi/reduce:ompi_binary --cfg=smpi/gather:ompi_linear_sync */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=4 infinite=4 */
#include <mpi.h>
#include <stdlib.h>

enum { COUNT = 9000 };

static int vector[COUNT], sum[COUNT], blocks[4][600];

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, first = 0, second = 0, third = 0, fourth = 0;
    MPI_Request request, others[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2)
        for (int i = 0; i < COUNT; i++)
            vector[i] = i;
    /* Ranks 1 and 3 are under way to rank 0 while segments go round. */
    if (rank == 1 || rank == 3)
        MPI_Isend(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
    else if (rank == 0) {
        MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &others[0]);
        MPI_Irecv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &others[1]);
    }
    MPI_Bcast(vector, COUNT, MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Reduce(vector, sum, COUNT, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Gather(vector + rank, 600, MPI_INT, blocks, 600, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Waitall(2, others, MPI_STATUSES_IGNORE);
        if (first + second != 4 || sum[COUNT - 1] != 4 * (COUNT - 1) || blocks[3][599] != 602)
            abort();
    } else if (rank != 2)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    /* What rank 2 got decides what it sends into the next one. */
    if (rank == 2) {
        MPI_Recv(&third, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&fourth, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        vector[0] = third;
    } else if (rank != 0)
        MPI_Send(&rank, 1, MPI_INT, 2, 2, MPI_COMM_WORLD);
    MPI_Bcast(vector, COUNT, MPI_INT, 2, MPI_COMM_WORLD);
    if (vector[0] != 1 && vector[0] != 3)
        abort();
    MPI_Finalize();
    return 0;
}
