/* Those of malloc alone: nothing else is put where they were once they are free, and what the kernel took then is there
 * again. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#define WAYS 1
#include "blocks_of_all_sizes.c"
