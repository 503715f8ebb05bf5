/* The error that a call returned may be why ranks wait for ever: it is said beside the deadlock. */
/* smpi: ranks 2 */
/* smpi: expect-finding deadlock */
/* smpi: expect-stderr-contains MPI_Send returned MPI_ERR_TAG to rank 1 */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 1)
        MPI_Send(&x, 1, MPI_INT, 0, -7, MPI_COMM_WORLD);
    else
        MPI_Recv(&x, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
