/* smpi: ranks 12 */
/* smpi: platform none */
/* smpi: verify --keep-going --reduction histories */
/* smpi: expect-finding assertion */
/* smpi: expect-executions zero=5 infinite=5 */
/* One of the receivers does not allow for the order that the first execution does not have. */
#define WRONG 6
#include "histories_pairs.c"
