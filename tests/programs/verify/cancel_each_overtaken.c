/* smpi: ranks 2 */
/* smpi: verify --buffering each --keep-going */
/* smpi: expect-finding deadlock */
/* smpi: expect-complete */
/* smpi: expect-executions 3 */
/* A cancelled message that keeps its place before a later one, which the sender need not wait for (MPI 5.0 sections 3.4, 3.5 and
 * 3.8.4): the second message is buffered, the first is cancelled, and only then does rank 0 look. Its first receive takes the second
 * message, and its second receive waits for ever. Each send by itself has to be buffered or not: in no execution without
 * buffering is the first message gone before rank 0's first receive is. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Request requests[2];
    int rank, first = 1, second = 2, any = 0, later = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MPI_Isend(&first, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Send(&second, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Cancel(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(&any, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
        MPI_Cancel(&requests[0]);
        MPI_Irecv(&later, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
