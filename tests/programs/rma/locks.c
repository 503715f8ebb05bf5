/* smpi: ranks 3 */
/* smpi: expect-pass */
/* Locks (MPI 5.0 §12.5.3): what one rank reads and writes under an exclusive lock no other sees halfway; shared
 * locks, several targets at a time, all targets, and MPI_MODE_NOCHECK where nobody else locks. */
#include "../check.h"

static MPI_Win win;

/* Reading, adding and writing back under an exclusive lock loses nothing. */
static void exclusive(long *memory)
{
    long value, last;

    for (int round = 0; round < 2; round++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Get(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_flush(0, win);
        last = value + check_rank + 1;
        MPI_Put(&last, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        CHECK_INT(memory[0], 12);
        MPI_Win_unlock(0, win);
    }
}

/* Every rank writes into all the others under shared locks, two of them held at once. */
static void shared(long *memory)
{
    long value = 10 + check_rank;
    int left = (check_rank + 2) % 3, right = (check_rank + 1) % 3;

    MPI_Win_lock(MPI_LOCK_SHARED, left, 0, win);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Put(&value, 1, MPI_LONG, right, 1 + check_rank, 1, MPI_LONG, win);
    MPI_Put(&value, 1, MPI_LONG, left, 1 + check_rank, 1, MPI_LONG, win);
    MPI_Win_unlock(right, win);
    MPI_Win_unlock(left, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, check_rank, MPI_MODE_NOCHECK, win);
    CHECK_INT(memory[1 + left], 10 + left);
    CHECK_INT(memory[1 + right], 10 + right);
    MPI_Win_unlock(check_rank, win);
}

static void all(void)
{
    long one = 1, values[3];

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int rank = 0; rank < check_size; rank++)
        MPI_Accumulate(&one, 1, MPI_LONG, rank, 5, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int rank = 0; rank < check_size; rank++)
        MPI_Get(&values[rank], 1, MPI_LONG, rank, 5, 1, MPI_LONG, win);
    MPI_Win_unlock_all(win);
    for (int rank = 0; rank < check_size; rank++)
        CHECK_INT(values[rank], 3);
}

int main(int argc, char **argv)
{
    long *memory;

    check_begin(&argc, &argv);
    MPI_Win_allocate(8 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, check_rank, 0, win);
    memset(memory, 0, 8 * sizeof *memory);
    MPI_Win_unlock(check_rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    exclusive(memory);
    shared(memory);
    all();
    MPI_Win_free(&win);
    return check_end();
}
