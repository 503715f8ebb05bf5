/* Between two polls that fail, rank 0 reads what the receive may fill: that is an error where the message is there at the first
 * poll, too. A round of polls is not left out in which something goes wrong. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: compile-args --verify */
/* smpi: expect-finding race/buffer */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value = 0, done = 0;
    volatile int seen;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request;
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        do {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            if (!done)
                seen = value;
        } while (!done);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
