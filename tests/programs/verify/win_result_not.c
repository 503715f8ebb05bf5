/* The same at two places. */
/* smpi: compile-args -DELEMENT=1 */
/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "win_result.c"
