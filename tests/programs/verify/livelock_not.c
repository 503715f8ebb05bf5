/* The same as livelock.c with every result counted: workers may ask for ever, but it can always end. */
/* smpi: ranks 3 */
/* smpi: verify --stateful */
/* smpi: passes livelock */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
static int counts(int source, int last) { return 1; }

#include "parts/tasks.h"
