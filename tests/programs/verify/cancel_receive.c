/* smpi: ranks 2 */
/* smpi: verify --buffering both --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
/* smpi: reductions none=15 dpor=8 */
/* A receive that is cancelled takes the message that is sent to it or is cancelled (MPI 5.0 section 3.8.4); then the next one
 * takes the message. */
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
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        assert(value == (flag ? 0 : 5));
        if (flag)
            MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &status);
        assert(value == 5);
    } else {
        value = 5;
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
