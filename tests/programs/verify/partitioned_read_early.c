/* A partition is read that is not known to be there; the other one is. */
/* smpi: requires smpi */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding race/buffer */
/* smpi: expect-stderr-contains partitioned_read_early.c:29 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    static int data[2];
    volatile int sum = 0;
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(data, 2, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
    } else {
        int there = 0;
        MPI_Precv_init(data, 2, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        while (!there)
            MPI_Parrived(request, 1, &there);
        sum += data[1];
        data[1] = 5;
        sum += data[0];
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
