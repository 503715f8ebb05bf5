/* The same where states have names: libsmpi clears stacks behind calls, and those of the program's own it must not. */
/* smpi: ranks 2 */
/* smpi: verify --stateful --cfg=smpi/self-check:yes */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
#include "own_stacks.c"
