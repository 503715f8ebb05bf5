/* A partitioned request is freed while it is active. */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding mpi/invalid/request */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int data[4] = { 1, 2, 3, 4 };
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(data, 2, 2, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
        MPI_Request_free(&request);
    } else {
        MPI_Precv_init(data, 4, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
