/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-executions zero=3 infinite=3 */
/* Rank 1 looks at a flag under a lock until rank 0 has set it. What counts is whether it has the lock before rank 0 does:
 * once more in vain changes nothing, but the second round is tried, which begins elsewhere than the first one. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, one = 1, flag = 0, *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    *memory = 0;
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_unlock(1, win);
    } else {
        while (!flag) {
            MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
            MPI_Get(&flag, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
            MPI_Win_unlock(1, win);
        }
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
