/* smpi: ranks 5 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
/* smpi: expect-transitions zero=6 infinite=6 */
/* By locks that exclude each other: what rank 1 knows comes with its lock. */
#include "parts/window_learns.h"

static void leave(void)
{
    int one = 1;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
}

static int look(void)
{
    int found = 0;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Get(&found, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    return found;
}
