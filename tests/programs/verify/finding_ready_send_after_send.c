/* That an MPI_Send has returned does not tell that its receive was posted, and so nothing of what was posted before that one:
 * the message may lie in a buffer. It is found without buffering, too. */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero --keep-going */
/* smpi: expect-finding mpi/ready-send */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Rsend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Request request;
        int other;
        MPI_Irecv(&other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
