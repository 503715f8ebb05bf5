/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding non-termination */
/* Rank 1 waits for a flag that rank 0 sets in its own part of the window, and not in that of rank 1. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, one = 1, flag = 0, *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    *memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(&one, &flag, MPI_INT, 0, 0, MPI_REPLACE, win);
    MPI_Win_flush(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        do {
            MPI_Fetch_and_op(NULL, &flag, MPI_INT, 1, 0, MPI_NO_OP, win);
            MPI_Win_flush(1, win);
        } while (!flag);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
