/* The same with a barrier before the plain read. Which rank adds first is not explored, and the verdict says so. */
/* smpi: compile-args --verify -DORDERED */
/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains not everything can be explored: atomic operations */
#include "win_own_atomic.c"
