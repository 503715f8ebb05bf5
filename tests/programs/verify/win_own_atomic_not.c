/* The same with a barrier before the plain read. Both orders are tried. */
/* smpi: compile-args --verify -DORDERED */
/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include "win_own_atomic.c"
