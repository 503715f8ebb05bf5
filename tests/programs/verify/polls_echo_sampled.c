/* As polls_echo_static.c, by random executions: none of them is void because a rank was told "not yet" for what did not come. */
/* smpi: ranks 2 */
/* smpi: verify --sample 20 */
/* smpi: expect-no-finding */
/* smpi: expect-executions zero=21 infinite=21 */
#include "polls_echo_static.c"
