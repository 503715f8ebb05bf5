/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding non-termination */
/* The same, but what ranks ask between two polls has the same answer at any time. */
#define BETWEEN MPI_Comm_rank(MPI_COMM_WORLD, &rank)
#include "stateful_poll_in_vain.c"
