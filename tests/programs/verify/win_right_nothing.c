/* Accesses that move nothing are in nobody's way. */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "../rma/nothing.c"
