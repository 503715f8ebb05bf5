/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding non-termination */
/* The same, but what ranks do between two polls is nothing that anybody sees. */
#define BETWEEN MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD)
#include "stateful_poll_in_vain.c"
