/* smpi: ranks 2 */
/* smpi: verify --buffering both --keep-going */
/* smpi: expect-finding deadlock */
/* smpi: expect-complete */
/* smpi: expect-executions zero=5 infinite=5 */
/* smpi: reductions none=64 dpor=26 */
/* Rank 0 gives up after a while and cancels its receive, and rank 1 relies on that it has received. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0, flag = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        double end = MPI_Wtime() + 10.0;
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        while (!flag && MPI_Wtime() < end)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (!flag) {
            MPI_Cancel(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Ssend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
