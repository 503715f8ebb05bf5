/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding mpi/invalid/epoch */
/* smpi: expect-finding non-termination */
/* smpi: expect-complete */
/* Rank 1 asserts that nobody holds a lock that rank 0 may hold, which is noticed, and waits for ever for a flag then. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, flag = 0, *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    *memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Win_unlock(0, win);
    } else {
        while (!flag) {
            MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win);
            MPI_Fetch_and_op(NULL, &flag, MPI_INT, 0, 0, MPI_NO_OP, win);
            MPI_Win_unlock(0, win);
        }
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
