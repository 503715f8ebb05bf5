/* smpi: ranks 2 */
/* smpi: platform lock_arrival.toml */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: verified exit-code race/window */
/* Locks are granted in the order in which requests arrive: rank 1 asks for the lock of its own memory when the request of
 * rank 0 has been sent and is still on its way. And what one rank does to one target keeps its order, though a short
 * access is faster than a long one. An unlock has nothing to ask for after a fence. */
#include "../check.h"
#include <unistd.h>

#define LONG 100000

static double lock_and_unlock(MPI_Win win)
{
    double start = MPI_Wtime();
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Win_unlock(1, win);
    return MPI_Wtime() - start;
}

int main(int argc, char **argv)
{
    static char memory[LONG], data[LONG];
    char last = 0;
    double before, after;
    MPI_Win win;

    check_begin(&argc, &argv);
    memset(data, 7, LONG);
    MPI_Win_create(memory, LONG, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 1) {
        usleep(10);
        CHECK(lock_and_unlock(win) < 1e-6);
    } else {
        CHECK(lock_and_unlock(win) > 1e-4);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Put(data, LONG, MPI_CHAR, 1, 0, LONG, MPI_CHAR, win);
        MPI_Get(&last, 1, MPI_CHAR, 1, LONG - 1, 1, MPI_CHAR, win);
        MPI_Win_unlock(1, win);
        CHECK_INT(last, 7);
        before = lock_and_unlock(win);
    }
    MPI_Win_fence(0, win);
    if (check_rank == 0)
        MPI_Put(data, 1, MPI_CHAR, 1, 0, 1, MPI_CHAR, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (check_rank == 0) {
        after = lock_and_unlock(win);
        CHECK(after < before + 1e-6 && before < after + 1e-6);
    }
    MPI_Win_free(&win);
    return check_end();
}
