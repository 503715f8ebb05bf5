/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-finding race/window */
/* Two ranks read the same place atomically, one after it has written elsewhere and one before: that orders nothing, even
 * if the second one reads much later, because none of them can know of the other. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, seen = -1, mine[2] = {0};
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    for (int round = 0; round < 5 && rank > 0; round++)
        MPI_Sendrecv(NULL, 0, MPI_INT, 3 - rank, 0, NULL, 0, MPI_INT, 3 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) {
        MPI_Put(&rank, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        MPI_Win_flush(2, window);
        MPI_Fetch_and_op(NULL, &seen, MPI_INT, 2, 1, MPI_NO_OP, window);
    }
    if (rank == 1) {
        MPI_Fetch_and_op(NULL, &seen, MPI_INT, 2, 1, MPI_NO_OP, window);
        MPI_Win_flush(2, window);
        MPI_Put(&rank, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
