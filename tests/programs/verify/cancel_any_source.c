/* smpi: ranks 3 */
/* smpi: verify --buffering both --keep-going */
/* smpi: expect-finding race/message */
/* smpi: expect-complete */
/* smpi: expect-executions zero=4 infinite=4 */
/* smpi: reductions none=398 dpor=56 */
/* A cancelled receive from any source had two candidates: it takes one of two, and the next receive the other one; or
 * it is cancelled, and younger receives take both in either order. The receive between them was posted before the cancellation, so
 * it never takes what the cancelled one could have. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, flag;
    MPI_Request requests[2];
    MPI_Status statuses[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int first = 0, second = 0, third = 0;
        MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&second, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
        MPI_Cancel(&requests[0]);
        MPI_Waitall(2, requests, statuses);
        MPI_Test_cancelled(&statuses[0], &flag);
        if (flag)
            MPI_Recv(&third, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d %d %d\n", first, second, third);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
