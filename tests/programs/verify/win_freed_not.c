/* The memory is freed when nobody accesses it any more: one rank frees its own early, where nobody does. */
/* smpi: compile-args -DFREED_LATER */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "win_freed.c"
