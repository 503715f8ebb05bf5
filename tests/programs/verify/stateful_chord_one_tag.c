/* The same, but an answer looks like a request: who waits for an answer takes a notice for it. */
/* smpi: ranks 3 */
/* smpi: verify --stateful --buffering infinite */
/* smpi: expect-finding assertion */
#define ANSWERS 0
#include "parts/chord.h"
