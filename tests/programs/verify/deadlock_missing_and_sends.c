/* Rank 2 never calls the barrier that ranks 0 and 1 wait in, once they have exchanged messages without buffers: it
   receives first what they send in the other order. With other buffering they wait elsewhere: one bug, and one finding
   for the place where rank 2 waits in both. */
// smpi: ranks 3
// smpi: verify --keep-going
// smpi: expect-finding deadlock
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2) {
        MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 2, 8, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
