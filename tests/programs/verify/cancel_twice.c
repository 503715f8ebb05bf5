/* A send that is cancelled twice, the second time when the first cancellation has succeeded, or failed, already. */
/* smpi: ranks 2 */
/* smpi: args isend1,cancel0,barrier,cancel0 barrier */
/* smpi: verify --buffering infinite --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 1 */
/* smpi: reductions none=19 dpor=17 */
#include "script.c"
