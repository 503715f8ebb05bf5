/* The received bytes end within an element: the mismatch is found, and the receive fails, whatever is buffered. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/type-mismatch */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        int values[2], class;
        MPI_Error_class(MPI_Recv(values, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), &class);
        assert(class == MPI_ERR_TYPE);
    } else {
        MPI_Send("abc", 3, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
