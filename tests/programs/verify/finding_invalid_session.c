/* A session is asked when it is finalized. */
/* smpi: ranks 1 */
/* smpi: expect-finding mpi/invalid/session */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Session session, copy;
    int n;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    copy = session;
    MPI_Session_finalize(&session);
    MPI_Session_get_num_psets(copy, MPI_INFO_NULL, &n);
    MPI_Finalize();
    return 0;
}
