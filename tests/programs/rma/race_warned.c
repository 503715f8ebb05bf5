/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: expect-stderr-contains race/window: ranks 1 and 2 access the same 4 bytes at offset */
/* smpi: expect-stderr-contains race_warned.c:26 in main: one access */
/* smpi: shuffled */
/* A simulation warns of races at windows (MPI 5.0 §12.7): two ranks put to the same place with shared locks. */
#include "../check.h"

int main(int argc, char **argv)
{
    int round, mine[2] = {0, 0};
    MPI_Win window;

    check_begin(&argc, &argv);
    MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (round = 0; round < 3; round++) {
        /* Right: one after the other. */
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&check_rank, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
        MPI_Barrier(MPI_COMM_WORLD);
        if (check_rank > 0) {
            /* Wrong: a shared lock excludes nobody. */
            MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
            MPI_Put(&check_rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
            MPI_Win_unlock(0, window);
        }
    }
    MPI_Win_free(&window);
    CHECK(check_rank > 0 || mine[0] > 0);
    return check_end();
}
/* smpi: verified race/window */
