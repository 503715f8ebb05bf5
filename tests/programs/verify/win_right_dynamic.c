/* Memory that comes and goes in a dynamic window, ordered by fences, locks and barriers. */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include "../rma/dynamic.c"
