/* The memory is freed after the window. */
/* smpi: compile-args -DFREED_LATER */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "win_freed.c"
