/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: expect-finding assertion */
/* smpi: verify --keep-going */
/* smpi: expect-complete */
/* What a rank has sent and received follows from what it did and was told: all values are tried, and those of one
 * execution are put back for the next. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int rank, provided, index, count, i, source = 0;
    unsigned long long bytes = 0;
    char data[2];
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_get_index("bytes_received", MPI_T_PVAR_CLASS_AGGREGATE, &index);
    MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
    MPI_T_pvar_start(session, handle);
    if (rank > 0) {
        MPI_Send(data, rank, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    } else {
        for (i = 0; i < 2; i++) {
            MPI_Recv(data, 2, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            MPI_T_pvar_read(session, handle, &bytes);
            if (i == 0)
                source = (int)bytes;
        }
        assert(bytes == 3);
        assert(source == 1);
    }
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
