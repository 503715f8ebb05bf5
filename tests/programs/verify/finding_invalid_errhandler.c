/* The null error handler. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/errhandler */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL);
    MPI_Finalize();
    return 0;
}
