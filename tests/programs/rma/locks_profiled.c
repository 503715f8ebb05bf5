/* A profile, a timeline and a page of a run in which locks are asked for: the server of a window answers, and is no
 * rank of the program. */
/* smpi: ranks 3 */
/* smpi: smpirun-args --profile-json=profile.json --timeline=timeline.json --report-html=page.html */
/* smpi: requires smpi */
/* smpi: expect-pass */
#include "../check.h"

int main(int argc, char **argv)
{
    int *value;
    const int kinds[] = {MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE};
    MPI_Win win;

    check_begin(&argc, &argv);
    MPI_Win_allocate(sizeof *value, sizeof *value, MPI_INFO_NULL, MPI_COMM_WORLD, &value, &win);
    *value = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++) {
        int mine = check_rank + 1;
        MPI_Win_lock(kinds[i], 0, 0, win);
        MPI_Accumulate(&mine, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    CHECK(check_rank != 0 || *value == 12);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return check_end();
}
