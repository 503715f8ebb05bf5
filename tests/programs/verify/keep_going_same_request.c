/* A request whose buffer is changed and that is never completed has both mistakes. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: compile-args --verify */
/* smpi: requires smpi */
/* smpi: expect-finding race/buffer */
/* smpi: expect-finding request/never-completed */
#include <mpi.h>

static int value;

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MPI_Request request;
        MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        value = 7;
    } else {
        int in;
        MPI_Recv(&in, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
