/* The same where the order that fails is that of the program's polls. */
/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#define FIRST 2
#include "polls_ahead.c"
