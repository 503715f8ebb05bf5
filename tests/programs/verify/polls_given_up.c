/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* Rank 0 gives up after five polls. That the message comes later than that is not tried, so the verdict is not that
 * nothing can go wrong. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0, flag = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 5 && !flag; i++)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        assert(flag);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
