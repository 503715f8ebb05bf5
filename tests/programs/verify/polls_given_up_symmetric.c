/* smpi: ranks 4 */
/* smpi: verify --keep-going --symmetric 1-3 */
/* smpi: expect-finding assertion */
/* smpi: requires smpi */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1000 infinite=1000 */
/* The same, but each worker gives up after five polls. */
#define MOST 5
#include "polls_uncounted_symmetric.c"
