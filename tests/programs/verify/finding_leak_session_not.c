/* Sessions that are finalized, without MPI_Init; a race on one of their communicators has two outcomes. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: passes mpi/invalid/session leak/session leak/communicator leak/group mpi/before-init mpi/finalize-missing */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include <mpi.h>

int main(void) {
    for (int round = 0; round < 2; round++) {
        int rank, in = 0;
        MPI_Session session;
        MPI_Group group;
        MPI_Comm comm;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
        MPI_Comm_create_from_group(group, "race", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
        MPI_Group_free(&group);
        MPI_Comm_rank(comm, &rank);
        if (round == 0 && rank == 0) {
            MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
            MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_STATUS_IGNORE);
        } else if (round == 0) {
            MPI_Send(&rank, 1, MPI_INT, 0, 0, comm);
        }
        MPI_Comm_free(&comm);
        MPI_Session_finalize(&session);
    }
    return 0;
}
