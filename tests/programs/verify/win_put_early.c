/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains not everything can be explored: accesses after MPI_Win_start */
/* An access after MPI_Win_start need not wait for MPI_Win_post either, so that rank 1 may send before rank 2 receives. That is
 * not explored where an access is first. */
#define ACCESS MPI_Put(&word, 1, MPI_INT, 2, 0, 1, MPI_INT, window)
#include "win_start_early.c"
