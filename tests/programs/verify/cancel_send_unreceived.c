/* smpi: ranks 2 */
/* smpi: verify --buffering both --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
/* smpi: reductions none=2 dpor=2 */
/* Nobody receives the message: the send can only be cancelled, and MPI_Wait returns in any case (MPI 5.0 section 3.8.4). */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, value = 0, flag;
    MPI_Request request;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        assert(flag);
    }
    MPI_Finalize();
    return 0;
}
