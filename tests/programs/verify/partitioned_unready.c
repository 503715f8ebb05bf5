/* Not all partitions are made ready: both sides wait for ever, and the report says for which partitions. */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding deadlock */
/* smpi: expect-stderr-contains partitions 1, 3 of 4 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int data[4] = { 1, 2, 3, 4 };
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(data, 4, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(0, request);
        MPI_Pready(2, request);
    } else {
        MPI_Precv_init(data, 4, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
