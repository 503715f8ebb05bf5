/* Rank 0 or rank 1 waits in the same line for ever, each because of what it has taken itself. Others wait for rank 0 then,
 * and nobody for rank 1. The choices that lead there are not the same, so these are two faults. */
/* smpi: ranks 4 */
/* smpi: verify --keep-going --buffering infinite */
/* smpi: expect-finding deadlock */
/* smpi: expect-faults deadlock=2 */
/* smpi: expect-complete */
#include <mpi.h>

static void wait_for_ever(int from) {
    int value;
    MPI_Recv(&value, 1, MPI_INT, from, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank, first, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank < 2) {
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 0 && first == 3) wait_for_ever(1);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1 && first == 3) wait_for_ever(0);
    } else {
        for (int to = 0; to < 2; to++) MPI_Send(&rank, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int to = 0; to < 2; to++) MPI_Send(&rank, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
