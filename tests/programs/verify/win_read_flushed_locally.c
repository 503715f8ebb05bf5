/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: passes race/window */
/* What was only read is over when a local flush says so, because the data is there: a later write by another rank does
 * not race with it (MPI 5.0 section 12.5.4). */
#include "../check.h"

int main(int argc, char **argv)
{
    int *memory, in = -1, old = -1;
    MPI_Win win;

    check_begin(&argc, &argv);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    *memory = 5 + check_rank;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (check_rank == 0) {
        MPI_Get(&in, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_flush_local(1, win);
        CHECK_INT(in, 6);
        MPI_Fetch_and_op(NULL, &old, MPI_INT, 0, 0, MPI_NO_OP, win);
        MPI_Win_flush_local_all(win);
        CHECK_INT(old, 5);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 1) {
        in = 9;
        MPI_Put(&in, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Put(&in, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush_all(win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(*memory, 9);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return check_end();
}
