/* The same, ordered by a message. */
/* smpi: compile-args --verify -DORDERED */
/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "win_own_shared.c"
