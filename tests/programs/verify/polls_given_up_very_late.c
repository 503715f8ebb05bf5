/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* Rank 0 gives up after more polls than are tried. */
#define MOST 3000
#include "polls_given_up.c"
