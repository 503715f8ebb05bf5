/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* A lock that is made of compare-and-swap, around a number that is read and written without it. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, one = 1, zero = 0, old = 1, number, zeros[2] = {0}, *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    MPI_Accumulate(zeros, 2, MPI_INT, rank, 0, 2, MPI_INT, MPI_REPLACE, win);
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    while (old) {
        MPI_Compare_and_swap(&one, &zero, &old, MPI_INT, 0, 0, win);
        MPI_Win_flush(0, win);
    }
    MPI_Get(&number, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    number++;
    MPI_Put(&number, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    MPI_Fetch_and_op(&zero, &old, MPI_INT, 0, 0, MPI_REPLACE, win);
    MPI_Win_flush(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Fetch_and_op(NULL, &number, MPI_INT, 0, 1, MPI_NO_OP, win);
    MPI_Win_flush(0, win);
    assert(number == 2);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
