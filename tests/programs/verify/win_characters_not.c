/* The same with numbers of one byte. */
/* smpi: compile-args -DTYPE=MPI_SIGNED_CHAR */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "win_characters.c"
