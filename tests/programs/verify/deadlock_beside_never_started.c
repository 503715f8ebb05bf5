/* A request that was freed without a start says nothing about the deadlock that follows. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding deadlock */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request;
    MPI_Send_init(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
