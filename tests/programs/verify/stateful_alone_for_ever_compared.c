/* The program of stateful_alone_for_ever.c, each state from its first three arrivals. */
/* smpi: ranks 3 */
/* smpi: args partsend2.1,start0,again irecv1,issend1,barrier@h,ibarrier@h,again partrecv0.1,start0,retry0,again */
/* smpi: verify --stateful --buffering zero --reduction none --compare-states 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states 12 */
#include "script.c"
