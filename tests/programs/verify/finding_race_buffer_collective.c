/* A collective operation receives what is still being sent, and another one sends what a persistent receive will write. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding race/buffer */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value[2] = {0, 0}, sum;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request;
    MPI_Isend(value, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Bcast(&value[1], 1, MPI_INT, 0, MPI_COMM_WORLD);
    int in[2];
    MPI_Recv(in, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv_init(value, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Allreduce(value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Send(in, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
