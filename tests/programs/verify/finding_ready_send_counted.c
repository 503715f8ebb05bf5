/* One receive is posted, two messages are sent that fit it: the second one is too early. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding mpi/ready-send */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value[2] = {0, 0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request;
    if (rank == 1)
        MPI_Irecv(&value[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Isend(&value[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Rsend(&value[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value[1], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
