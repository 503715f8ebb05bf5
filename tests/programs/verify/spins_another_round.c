/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* Rank 1 waits for a flag. In its first round it also looks at another number, and in all others at a third one, which it
 * takes to be 0: that rank 2 has set it before rank 0 sets the flag is seen from the second round on. */
#include <assert.h>
#include <mpi.h>

static int fetch(int place, MPI_Win win)
{
    int number;

    MPI_Fetch_and_op(NULL, &number, MPI_INT, 1, place, MPI_NO_OP, win);
    MPI_Win_flush(1, win);
    return number;
}

int main(int argc, char **argv)
{
    int rank, one = 1, zeros[3] = {0}, place = 1, *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(3 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    MPI_Accumulate(zeros, 3, MPI_INT, rank, 0, 3, MPI_INT, MPI_REPLACE, win);
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, win);
    if (rank == 1)
        for (; !fetch(0, win); place = 2)
            assert(place != 2 || !fetch(place, win));
    if (rank == 2)
        MPI_Accumulate(&one, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
