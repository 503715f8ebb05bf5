/* smpi: ranks 3 */
/* smpi: verify --buffering both --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
/* Ranks 0 and 1 know by way of rank 2 that their message was received before they cancel: that must fail (MPI 5.0 section
 * 3.8.4: an operation completes or is cancelled, and not both). */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, value = 0, token = 0, flag;
    MPI_Request request;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        value = 7;
        MPI_Issend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    } else if (rank == 1) {
        MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
        MPI_Irecv(&token, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &request);
    } else {
        MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Ssend(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    }
    if (rank != 2) {
        if (rank == 0)
            MPI_Recv(&token, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Recv(&flag, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        assert(!flag && (rank == 0 || token == 7));
    }
    MPI_Finalize();
    return 0;
}
