/* A master gives out two tasks, and counts a result only if another worker sent the last one. If one worker does both,
   the master waits for ever, and the workers ask for ever: messages go round, and the program cannot end any more. */
/* smpi: ranks 3 */
/* smpi: verify --stateful */
/* smpi: expect-finding livelock */
/* smpi: expect-stderr-contains choices come again and again */
/* smpi: expect-stderr-contains no way out: */
static int counts(int source, int last) { return source != last; }

#include "parts/tasks.h"
