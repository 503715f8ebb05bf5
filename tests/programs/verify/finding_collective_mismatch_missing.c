/* smpi: ranks 3 */
/* smpi: verify --buffering infinite */
/* smpi: expect-finding mpi/collective-mismatch */
/* Rank 2 never calls the broadcast. Nobody waits for it, but the call is wrong all the same (MPI 5.0 section 6.1). */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, data = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank < 2) MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
