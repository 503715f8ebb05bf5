/* Accesses with derived datatypes, all of them ordered by fences, except that both ranks add floating-point numbers to the
 * same elements: in which order they come at each of these for itself is not explored. */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains not everything can be explored: atomic accesses to */
#include "../rma/derived.c"
