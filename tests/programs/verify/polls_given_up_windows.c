/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* The same, but rank 0 gives up after five polls for the message. */
#define MOST 5
#include "polls_uncounted_windows.c"
