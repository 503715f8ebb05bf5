/* A request that is not freed on rank 1. */
/* smpi: ranks 2 */
/* smpi: expect-finding leak/request */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int value;
    MPI_Request request;
    MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
