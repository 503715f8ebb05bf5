/* With --strict, a deadlock also says where the message was sent that nearly is the one that a rank waits for. */
/* smpi: ranks 8 */
/* smpi: compile-args -g */
/* smpi: requires smpi */
/* smpi: smpirun-args --strict */
/* smpi: expect-exit 3 */
/* smpi: expect-stderr-contains deadlock_words.c:26) */
#include "deadlock_words.c"
