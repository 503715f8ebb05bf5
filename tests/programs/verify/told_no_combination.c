/* The same, but the first rank sends before it receives in any case: no way gets stuck, which is proved without them. */
/* smpi: ranks 36 */
/* smpi: platform none */
/* smpi: verify --buffering infinite */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions infinite=13 */
#define FIRST 1
#include "told_combination.c"
