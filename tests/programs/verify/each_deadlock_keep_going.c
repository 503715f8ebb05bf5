/* Rank 1 waits for a message that nobody sends, and rank 0 for rank 1: buffering lets rank 0 go on and nothing else, so this is a
 * deadlock, with --keep-going and without. */
/* smpi: ranks 2 */
/* smpi: verify --buffering each --keep-going */
/* smpi: expect-finding deadlock */
/* smpi: expect-complete */
/* smpi: expect-executions 2 */
/* smpi: reductions none=5 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
