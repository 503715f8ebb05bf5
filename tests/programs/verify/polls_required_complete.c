/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: verify --keep-going --require-complete */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-exit 6 */
/* The same, and a run that is not complete is a failure. */
#define IGNORES (void)polls
#include "polls_ignored.c"
