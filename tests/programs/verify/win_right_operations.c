/* Accumulating operations, and loads and stores behind fences. */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "../rma/operations.c"
