/* smpi: ranks 30 */
/* smpi: platform none */
/* smpi: verify --keep-going --reduction histories */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=31 infinite=31 */
/* The same in two rounds: each receiver is told of both, so that there are four executions for each. */
#define ROUNDS 2
#include "histories_pairs.c"
