/* The program of livelock.c, each kind of buffering explored by a process of its own. */
/* smpi: ranks 3 */
/* smpi: verify --stateful --jobs 2 */
/* smpi: expect-finding livelock */
/* smpi: expect-stderr-contains choices come again and again */
static int counts(int source, int last) { return source != last; }

#include "parts/tasks.h"
