/* Both ranks wait for their partitions to be sent before they start to receive: right only where sends are buffered. */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding deadlock/buffering */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int in[2], out[2] = { rank, rank };
    MPI_Request send, receive;
    MPI_Psend_init(out, 2, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
    MPI_Precv_init(in, 2, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
    MPI_Start(&send);
    MPI_Pready_range(0, 1, send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Start(&receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Request_free(&send);
    MPI_Request_free(&receive);
    MPI_Finalize();
    return 0;
}
