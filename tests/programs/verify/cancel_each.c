/* smpi: ranks 2 */
/* smpi: verify --buffering each --keep-going */
/* smpi: expect-finding mpi/pending-at-finalize */
/* smpi: expect-complete */
/* smpi: expect-executions 2 */
/* smpi: reductions none=292 */
/* A send that is cancelled and that nobody receives is cancelled, also where it could be buffered: the second one is over
 * already, because Waitany could have returned it, and is cancelled nevertheless. Where Waitany does return it, nobody cancels
 * it, and its message is left behind. */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, index, flag = 0, value = 0, other = 0;
    MPI_Request requests[2];
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Cancel(&requests[0]);
        MPI_Wait(&requests[0], &status);
        MPI_Test_cancelled(&status, &flag);
        assert(flag);

        MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&other, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        if (index == 1) {
            MPI_Cancel(&requests[0]);
            MPI_Wait(&requests[0], &status);
            MPI_Test_cancelled(&status, &flag);
            assert(flag);
        } else {
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
