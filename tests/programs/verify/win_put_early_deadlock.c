/* smpi: ranks 3 */
/* smpi: verify --buffering infinite */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains not everything can be explored: accesses after MPI_Win_start */
/* The program of win_put_early.c, where a deadlock is missed: rank 2's first receive may take rank 1's message, if the access
 * before it does not wait. By then that choice has been made. */
#define SECOND 1
#include "win_put_early.c"
