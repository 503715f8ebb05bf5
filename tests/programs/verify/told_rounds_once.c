/* The same where the rank that polls waits as soon as it can. */
/* smpi: ranks 5 */
/* smpi: platform none */
/* smpi: compile-args -O1 */
/* smpi: verify --reduction histories --buffering infinite */
/* smpi: expect-finding assertion */
#define ONCE
#include "told_rounds.c"
