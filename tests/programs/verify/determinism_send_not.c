/* Rank 0 takes the questions in any order, and answers in the order of ranks: it sends the same in all executions. */
/* smpi: ranks 4 */
/* smpi: verify --determinism send */
/* smpi: passes determinism/send */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 6 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, x = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 1; rank == 0 && i < size; i++)
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; rank == 0 && i < size; i++)
        MPI_Send(&x, 1, MPI_INT, i, 1, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
