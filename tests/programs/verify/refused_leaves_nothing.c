/* Calls that are refused for a null pointer make no object that nobody could free, and post nothing that nobody waits
   for: the same calls as in a simulation. */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: passes leak/group leak/request leak/communicator leak/datatype leak/info leak/op mpi/pending-at-finalize */
#include "../errors/refused_does_nothing.c"
