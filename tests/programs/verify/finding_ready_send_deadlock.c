/* Both ranks send in ready mode before they receive: without buffering nobody posts the receives. */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero --keep-going */
/* smpi: expect-finding deadlock */
/* smpi: expect-finding mpi/ready-send */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, out = 0, in;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Rsend(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
