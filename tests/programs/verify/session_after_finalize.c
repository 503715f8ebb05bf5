/* A call when all sessions are finalized, and MPI was not initialized. */
/* smpi: ranks 1 */
/* smpi: expect-finding mpi/before-init */
#include <mpi.h>

int main(void) {
    MPI_Session session;
    MPI_Comm comm;
    MPI_Group group;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://SELF", &group);
    MPI_Comm_create_from_group(group, "tag", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    MPI_Barrier(comm);
    return 0;
}
