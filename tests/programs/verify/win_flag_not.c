/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 3 */
/* The same with a flush between the data and the flag. */
#define FLUSH
#include "win_flag.c"
