/* The same with a barrier before the plain read. */
/* smpi: compile-args --verify -DORDERED */
/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "win_own_atomic.c"
