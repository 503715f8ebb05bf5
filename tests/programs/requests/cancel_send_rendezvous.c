/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: smpirun-args --cfg=smpi/send-is-detached-thresh:0 */
/* smpi: shuffled */
/* smpi: expect-pass */
/* smpi: verified exit-code mpi/pending-at-finalize */
/* Messages whose senders wait. */
#include "parts/cancel_send.h"
