/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: shuffled */
/* smpi: expect-pass */
/* smpi: verified exit-code mpi/pending-at-finalize */
/* Messages that wait at the sender until they are received. Another MPI may have sent them, and find that it is too late. */
#include "parts/cancel_send.h"
