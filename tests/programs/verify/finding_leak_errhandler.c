/* An error handler that is not freed on rank 1. */
/* smpi: ranks 2 */
/* smpi: expect-finding leak/errhandler */
#include <mpi.h>

static void note(MPI_Comm *comm, int *error, ...) {
    (void)comm;
    (void)error;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(note, &handler);
    if (rank == 0)
        MPI_Errhandler_free(&handler);
    MPI_Finalize();
    return 0;
}
