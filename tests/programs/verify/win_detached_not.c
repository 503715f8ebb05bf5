/* The same, when the other rank has said that it is through. */
/* smpi: compile-args -DORDERED */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "win_detached.c"
