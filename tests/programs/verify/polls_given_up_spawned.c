/* smpi: ranks 1 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* The same, but the process that is spawned gives up after five polls. */
#define MOST 5
#include "polls_uncounted_spawned.c"
