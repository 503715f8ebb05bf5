/* The program of stateful_poll_in_vain.c, each state from its first three arrivals. */
/* smpi: ranks 2 */
/* smpi: verify --stateful --reduction none --compare-states 2 */
/* smpi: expect-finding livelock */
/* smpi: expect-stderr-contains cannot end any more: ranks poll */
#include "stateful_poll_in_vain.c"
