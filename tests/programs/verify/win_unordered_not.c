/* The same with the order that windows keep by themselves, in other words. */
/* smpi: compile-args -DORDERING="waw,war,raw,rar" */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "win_unordered.c"
