/* The message of MPI_Sendrecv does not tell that its receive is posted: both go on side by side. A matched receive comes after
 * its message anyway. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding mpi/ready-send */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, out = 0, in;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request;
    MPI_Message message;
    if (rank == 0) {
        MPI_Recv(&in, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Rsend(&out, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Rsend_init(&out, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    } else {
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
