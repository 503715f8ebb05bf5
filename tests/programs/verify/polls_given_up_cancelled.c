/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* Rank 0 gives up after five polls, cancels its receive, and takes it that nothing came. */
#define MOST 5
#include "polls_uncounted_cancelled.c"
