/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: passes deadlock */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* As win_lock_deadlock.c, but both lock the memory of rank 0 first, so that none holds what the other one needs to
 * go on. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine = 0;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
    MPI_Win_unlock(1 - rank, window);
    MPI_Win_unlock(rank, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
