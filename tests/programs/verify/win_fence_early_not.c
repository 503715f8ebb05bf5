/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* The same with fences that end epochs, and so wait for all ranks, from the second one on. */
#define ASSERTED 0
#define TWICE
#include "win_fence_early.c"
