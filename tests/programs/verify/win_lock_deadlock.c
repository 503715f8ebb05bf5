/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding deadlock */
/* Each rank locks its own memory and then that of the other one. Nothing happens if one is through before the other
 * begins. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine = 0;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, window);
    MPI_Win_unlock(1 - rank, window);
    MPI_Win_unlock(rank, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
