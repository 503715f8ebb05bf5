/* Flushes, and messages that say so. */
/* smpi: compile-args --verify */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "../rma/flush.c"
