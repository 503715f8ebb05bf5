/* Rank 0 tests its send until it is over, and rank 1 receives that message last: an endless loop if the send is not buffered. */
/* smpi: ranks 2 */
/* smpi: verify --buffering each --keep-going */
/* smpi: expect-finding non-termination */
/* smpi: expect-complete */
/* smpi: expect-executions 3 */
/* smpi: reductions none=23 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value = 0, other = 0, flag = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request send;
        MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &send);
        while (!flag)
            MPI_Test(&send, &flag, MPI_STATUS_IGNORE);
        MPI_Send(&other, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
