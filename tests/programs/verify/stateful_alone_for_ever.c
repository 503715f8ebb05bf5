/* Rank 1 sends messages to itself for ever, without a choice, and rank 2 polls for partitions of rank 0. Wherever the
   exploration goes on from a state, rank 1 must: what its messages have come to belongs to the state. */
/* smpi: ranks 3 */
/* smpi: args partsend2.1,start0,again irecv1,issend1,barrier@h,ibarrier@h,again partrecv0.1,start0,retry0,again */
/* smpi: verify --stateful --buffering zero */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states 12 */
#include "script.c"
