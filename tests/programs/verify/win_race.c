/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-finding race/window */
/* Two ranks put to the same place, each with a lock: but a shared one, that excludes nobody. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine = 0;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank > 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
