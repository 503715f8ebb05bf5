/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains polls_ignored.c:30 finds nothing */
/* The same without saying so: the line of the poll is told, and what would help. */
#define IGNORES (void)polls
#include "polls_ignored.c"
