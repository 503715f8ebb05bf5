/* The same, freed on both ranks. */
/* smpi: passes leak/errhandler */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
#include <mpi.h>

static void note(MPI_Comm *comm, int *error, ...) {
    (void)comm;
    (void)error;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(note, &handler);
    MPI_Errhandler_free(&handler);
    MPI_Finalize();
    return 0;
}
