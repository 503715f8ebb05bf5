/* smpi: ranks 4 */
/* smpi: verify --buffering both --keep-going --jobs 2 */
/* smpi: expect-finding race/message */
/* smpi: expect-complete */
/* smpi: requires smpi */
/* Whether and what rank 0 cancels depends on what came first, so it is discovered late; the counts are those of the last exploration, by
 * any number of processes. Rank 1 first: no cancellation, 2 orders of the others. Rank 2 or 3 first: the receive from rank 1 takes
 * its message (1), or is cancelled, and two messages come in any order (2). */
/* smpi: expect-executions zero=8 infinite=8 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, flag = 0, got[3] = {0}, extra = 0, i;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (got[0] != 1) {
            MPI_Irecv(&got[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
            MPI_Cancel(&request);
            MPI_Wait(&request, &status);
            MPI_Test_cancelled(&status, &flag);
        } else {
            MPI_Recv(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        }
        MPI_Recv(&got[2], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        if (flag)
            MPI_Recv(&extra, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        printf("%d %d %d %d\n", got[0], got[1], got[2], extra);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
