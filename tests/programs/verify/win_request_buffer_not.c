/* The same after the request. */
/* smpi: compile-args --verify -DWAIT_FIRST */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "win_request_buffer.c"
