/* Without MPI_Init, too, what is made is to be freed. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding leak/communicator */
/* smpi: expect-finding leak/group */
#include <mpi.h>

int main(void) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "tag", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Session_finalize(&session);
    return 0;
}
