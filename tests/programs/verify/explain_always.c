/* Whatever the first receive takes, rank 0 waits for a message that nobody sends. */
/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-finding deadlock */
/* smpi: expect-explanation all 2 executions fail with zero buffering: no decision is to blame */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 3; i++)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
