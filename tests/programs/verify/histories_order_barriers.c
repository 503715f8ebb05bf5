/* smpi: ranks 4 */
/* smpi: requires smpi */
/* smpi: platform none */
/* smpi: verify --keep-going --reduction histories */
/* smpi: expect-finding deadlock */
/* The same with barriers among two ranks each, which are in one group, other than after barriers among all. */
#define BARRIERS
#include "histories_order_sends.c"
