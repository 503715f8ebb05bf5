/* The program of livelock.c, each state from its first three arrivals: those that are the same are one all the same. */
/* smpi: ranks 3 */
/* smpi: verify --stateful --reduction none --compare-states 2 */
/* smpi: expect-finding livelock */
/* smpi: expect-stderr-contains choices come again and again */
static int counts(int source, int last) { return source != last; }

#include "parts/tasks.h"
