/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=10 infinite=10 */
/* The same, but rank 0 gives up after five polls for the message. */
#define MOST 5
#include "polls_uncounted_windows.c"
