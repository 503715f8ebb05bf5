/* The same between the blocks. */
/* smpi: compile-args -DELEMENT=1 */
/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "win_buffer_descending.c"
