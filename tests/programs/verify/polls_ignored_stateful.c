/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: verify --stateful --keep-going --buffering zero */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states 2 */
/* The same where states are recognised: those that differ in the counter alone are one. */
#include "polls_ignored.c"
