/* smpi: ranks 4 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* Rank 0 gives up after three polls for a message that rank 2 sends only when it has received one from anybody. What
 * rank 0 sends then may be that one: it needs nothing of what happens elsewhere meanwhile. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0, flag = 0;
    MPI_Request request;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 3 && !flag; i++)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
#ifdef POLLS_ON
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
#else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    } else if (rank == 2) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(status.MPI_SOURCE == 3);
    } else if (rank == 3) {
        MPI_Send(&value, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
