/* Two ranks send to each other first, which needs buffers, and then receive what nobody sends: two bugs, of which the
   second one is met with buffers only. The first one depends on buffering, although its execution ends in a deadlock
   with buffers, too. */
// smpi: ranks 2
// smpi: verify --keep-going
// smpi: expect-finding deadlock/buffering
// smpi: expect-finding deadlock
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, mine = 1, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&other, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
