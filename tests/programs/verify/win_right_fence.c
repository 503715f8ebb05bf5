/* Epochs of fences with all of their assertions. */
/* smpi: compile-args --verify */
/* smpi: ranks 4 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "../rma/fence.c"
