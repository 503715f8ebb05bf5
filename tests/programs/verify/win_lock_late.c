/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains not everything can be explored: a rank calls other */
/* MPI_Win_lock need not wait for its lock. What rank 2 sees if it gets the lock before rank 1 does, although rank 1 has
 * asked for it first, is not explored, and the verdict says so. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine = 0, value = 1;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
#ifdef FLUSH
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
#endif
        MPI_Send(&rank, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    if (rank == 2) {
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
