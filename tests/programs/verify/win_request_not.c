/* The same with locks. */
/* smpi: compile-args -DLOCKED */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "win_request.c"
