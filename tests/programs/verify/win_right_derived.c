/* Accesses with derived datatypes, all of them ordered by fences, except that both ranks add floating-point numbers to the
 * same elements. */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "../rma/derived.c"
