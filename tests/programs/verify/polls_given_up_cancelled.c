/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=9 infinite=9 */
/* Rank 0 gives up after five polls, cancels its receive, and takes it that nothing came. */
#define MOST 5
#include "polls_uncounted_cancelled.c"
