/* A communicator and its copy are used in different orders. */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding deadlock */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(rank == 0 ? MPI_COMM_WORLD : copy);
    MPI_Barrier(rank == 0 ? copy : MPI_COMM_WORLD);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
