/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* A rank waits for memory of a shared window to change, by loads and what lets time pass: others go on meanwhile, although
 * computing takes no time. */
#include "../check.h"
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static MPI_Win win;

static void by_sync(void)
{
    MPI_Win_sync(win);
}

static void by_yield(void)
{
    CHECK(sched_yield() == 0);
}

static void by_no_sleep(void)
{
    CHECK(nanosleep(&(struct timespec){0, 0}, NULL) == 0);
}

static void by_short_sleep(void)
{
    CHECK(usleep(1) == 0);
}

int main(int argc, char **argv)
{
    static void (*const ways[])(void) = {by_sync, by_yield, by_no_sleep, by_short_sleep};
    int rank, unit;
    atomic_int *flags;
    MPI_Aint size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank ? 0 : 4 * sizeof *flags, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &flags, &win);
    MPI_Win_shared_query(win, 0, &size, &unit, &flags);
    MPI_Win_lock_all(0, win);
    if (rank == 0)
        for (int way = 0; way < 4; way++)
            atomic_store(&flags[way], 0);
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int way = 0; way < 4; way++)
        if (rank == 1) {
            usleep(100);
            atomic_store(&flags[way], 1);
        } else
            while (!atomic_load(&flags[way]))
                ways[way]();
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return check_end();
}
