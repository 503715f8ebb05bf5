/* Loads and stores of shared memory, ordered by MPI_Win_sync and barriers. */
/* smpi: compile-args --verify */
/* smpi: ranks 4 */
/* smpi: platform none */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "../rma/shared_memory.c"
