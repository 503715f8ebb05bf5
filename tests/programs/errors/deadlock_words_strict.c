/* With --strict, where other things remember places, a deadlock says the same. */
/* smpi: ranks 8 */
/* smpi: compile-args -g */
/* smpi: requires smpi */
/* smpi: smpirun-args --strict */
/* smpi: expect-exit 3 */
/* smpi: expect-stderr-contains deadlock_words.c:28) */
#include "deadlock_words.c"
