/* The halves of a Sendrecv know nothing of each other: rank 2's message to rank 0 does not depend on rank 0's first choice,
 * although the partner of rank 2 sends to rank 0 in the same call. */
/* smpi: ranks 5 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding assertion */
#include <assert.h>
#include <mpi.h>

static int take(int source) {
    int value;
    MPI_Recv(&value, 1, MPI_INT, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int first = take(MPI_ANY_SOURCE);
        take(MPI_ANY_SOURCE);
        assert(first != 2);
    } else if (rank == 1) {
        MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 2) {
        take(MPI_ANY_SOURCE);
        MPI_Ssend(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Ssend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        take(MPI_ANY_SOURCE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
