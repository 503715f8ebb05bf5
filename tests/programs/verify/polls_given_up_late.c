/* smpi: ranks 2 */
/* smpi: verify --keep-going --reduction matches */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1001 infinite=1001 */
/* Rank 0 gives up after a thousand polls. */
#define MOST 1000
#include "polls_given_up.c"
