/* smpi: ranks 5 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
/* smpi: expect-transitions zero=6 infinite=6 */
/* By atomic accesses: what rank 1 knows it knows after a flush. */
#include "parts/window_learns.h"

static void leave(void)
{
    int one = 1;

    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, window);
    MPI_Win_unlock(0, window);
}

static int look(void)
{
    int found = 0, nothing = 0;

    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Fetch_and_op(&nothing, &found, MPI_INT, 0, 0, MPI_NO_OP, window);
    MPI_Win_flush(0, window);
    MPI_Win_unlock(0, window);
    return found;
}
