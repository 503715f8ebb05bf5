/* Where the broadcast does not wait for rank 0, rank 2 can be before rank 1. A synchronous send before it makes it wait, and
 * so does a barrier. The send behind it comes too late. */
/* smpi: ranks 3 */
/* smpi: verify --explain-within 60 */
/* smpi: expect-finding assertion */
/* smpi: expect-help not with zero buffering: no error in 1 execution; complete */
/* smpi: expect-help would help: with the MPI_Send at help_synchronous.c:23 synchronous: no error in 2 executions; complete */
/* smpi: expect-help would help: with a barrier before the MPI_Bcast at help_synchronous.c:25: no error in 2 executions; complete */
/* smpi: expect-help would not help: with the MPI_Send at help_synchronous.c:27 synchronous: 1 of 3 executions still fails; complete */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, word = 0;
    MPI_Status status;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        assert(status.MPI_SOURCE == 1);
    }
    if (rank == 1)
        MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    /* Rank 1 need not wait for anybody here. */
    MPI_Bcast(&word, 1, MPI_INT, 1, MPI_COMM_WORLD);
    if (rank == 2)
        MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
