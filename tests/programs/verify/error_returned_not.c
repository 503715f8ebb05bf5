/* Who has an error handler of its own hears of errors, and tools' functions say by their codes what they have to say. */
/* smpi: ranks 2 */
/* smpi: verify --strict */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: passes mpi/error-returned */
#include <assert.h>
#include <mpi.h>

static int heard;

static void hear(MPI_Comm *comm, int *code, ...) { heard++; }

int main(int argc, char **argv) {
    int x = 0, provided, index;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    MPI_Send(&x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    assert(heard == 1);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    assert(MPI_T_cvar_get_index("no such variable", &index) == MPI_T_ERR_INVALID_NAME);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
