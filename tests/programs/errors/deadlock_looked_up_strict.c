/* With --strict, the line of a call is told wherever its function was looked up. */
/* smpi: ranks 2 */
/* smpi: compile-args -g */
/* smpi: smpirun-args --strict */
/* smpi: requires smpi */
/* smpi: expect-exit 3 */
/* smpi: expect-stderr-contains ; rank 1 has sent it one with tag 8 ( */
/* smpi: expect-stderr-contains deadlock_looked_up.c:24) */
#include "deadlock_looked_up.c"
