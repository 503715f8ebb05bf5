/* Rank 0 cancels a receive that takes the second message of rank 1, or nothing. That message comes of a receive which is behind an
 * older one, and nobody waits for the older one: what lets the message be sent is not all known to its sender. */
/* smpi: ranks 2 */
/* smpi: args sendrecv1,irecv1,issend1,wait1,cancel0 irecv*.*,sendrecv0,sendrecv0 */
/* smpi: verify --buffering infinite --keep-going */
/* smpi: expect-finding deadlock */
/* smpi: expect-complete */
/* smpi: expect-executions 2 */
/* smpi: reductions none=194 dpor=22 */
#include "script.c"
