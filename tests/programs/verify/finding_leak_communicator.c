/* A communicator that is not freed on rank 1. */
/* smpi: ranks 2 */
/* smpi: expect-finding leak/communicator */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0)
        MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
