/* A buffered message that nobody receives. */
/* smpi: ranks 2 */
/* smpi: verify --buffering infinite */
/* smpi: expect-finding mpi/pending-at-finalize */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
