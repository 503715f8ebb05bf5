/* The program of atomics_lost_update.c, which adds by one operation. Its two orders leave the same. */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#define ADD atomic_fetch_add(number, 1)
#include "atomics_lost_update.c"
