/* A session is never finalized. */
/* smpi: ranks 2 */
/* smpi: expect-finding leak/session */
#include <mpi.h>

int main(void) {
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    return 0;
}
