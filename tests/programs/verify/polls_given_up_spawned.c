/* smpi: ranks 1 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=5 infinite=5 */
/* The same, but the process that is spawned gives up after five polls. */
#define MOST 5
#include "polls_uncounted_spawned.c"
