/* smpi: ranks 5 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
/* smpi: expect-transitions zero=6 infinite=6 */
/* By an atomic access with a request: what rank 1 knows it knows when that is over. */
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
    MPI_Request request;

    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Rget_accumulate(&nothing, 1, MPI_INT, &found, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(0, window);
    return found;
}
