/* The two sides do not have the same amount of data. */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding mpi/truncate */
/* smpi: expect-stderr-contains 2 partitions of 8 bytes */
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
        MPI_Pready(0, request);
        MPI_Pready(1, request);
    } else {
        MPI_Precv_init(data, 3, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
