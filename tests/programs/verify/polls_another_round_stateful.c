/* The same where states are recognised. */
/* smpi: ranks 4 */
/* smpi: verify --keep-going --stateful */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
#include "polls_another_round.c"
