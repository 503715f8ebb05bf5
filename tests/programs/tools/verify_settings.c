/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: verify --stateful */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* What a tool sets and reads of control variables is the same in all executions, whatever buffering is tried. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_T_cvar_handle handle;
    int rank, provided, index, count, data = 0;
    unsigned long long bytes = 0;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_T_cvar_get_index("smpi/send-is-detached-thresh", &index);
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    MPI_T_cvar_read(handle, &bytes);
    assert(bytes == 65536);
    bytes = 7;
    MPI_T_cvar_write(handle, &bytes);
    if (rank == 0)
        MPI_Send(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_T_cvar_read(handle, &bytes);
    assert(bytes == 7);
    MPI_T_cvar_handle_free(&handle);
    MPI_Finalize();
    MPI_T_finalize();
    return 0;
}
