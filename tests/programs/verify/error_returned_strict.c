/* With --strict an error that a call returns is a finding. */
/* smpi: ranks 2 */
/* smpi: verify --strict --buffering zero */
/* smpi: expect-finding mpi/error-returned */
#include <mpi.h>

int main(int argc, char **argv) {
    int x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Send(&x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD) == MPI_SUCCESS)
        return 1;
    MPI_Finalize();
    return 0;
}
