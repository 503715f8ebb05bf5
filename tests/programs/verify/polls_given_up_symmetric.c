/* smpi: ranks 4 */
/* smpi: verify --keep-going --symmetric 1-3 */
/* smpi: expect-no-finding */
/* smpi: requires smpi */
/* smpi: expect-incomplete */
/* The same, but each worker gives up after five polls. */
#define MOST 5
#include "polls_uncounted_symmetric.c"
