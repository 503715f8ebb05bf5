/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
#define HOW "private"
#include "polls_counted_in_mapping.c"
