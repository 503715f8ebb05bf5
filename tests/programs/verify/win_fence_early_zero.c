/* smpi: ranks 3 */
/* smpi: verify --buffering zero */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* The same where all calls wait as long as they may. */
#include "win_fence_early.c"
