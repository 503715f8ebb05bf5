/* smpi: ranks 4 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* The same, but rank 0 polls on when it has sent. */
#define POLLS_ON
#include "polls_given_up_first.c"
