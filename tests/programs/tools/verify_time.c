/* smpi: ranks 1 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains a tool asks for */
/* A program may go another way after some time: a verification has none, and says so. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int provided, index, count;
    double secs = 0;

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_get_index("time_in_mpi", MPI_T_PVAR_CLASS_TIMER, &index);
    MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
    MPI_T_pvar_start(session, handle);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_T_pvar_read(session, handle, &secs);
    if (secs > 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
