/* A function returns while its variable is still being sent. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding race/buffer */
#include <mpi.h>

__attribute__((noinline)) static void begin(int rank, MPI_Request *request) {
    volatile int value = rank;
    MPI_Isend((void *)&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, request);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, in;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request;
    begin(rank, &request);
    MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
