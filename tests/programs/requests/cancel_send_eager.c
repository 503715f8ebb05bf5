/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: smpirun-args --cfg=smpi/async-small-thresh:65536 */
/* smpi: shuffled */
/* smpi: expect-pass */
/* smpi: verified exit-code mpi/pending-at-finalize */
/* Messages that are on their way before they are received. */
#include "parts/cancel_send.h"
