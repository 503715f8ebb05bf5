/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* The same with a flush before the message: then rank 1 has its lock, and there is only one order. */
#define FLUSH
#include "win_lock_late.c"
