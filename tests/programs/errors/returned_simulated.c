/* A simulation says which errors its calls returned, too, and --strict makes it fail. */
/* smpi: ranks 2 */
/* smpi: smpirun-args --strict */
/* smpi: expect-exit 1 */
/* smpi: expect-stderr-contains warning: mpi/error-returned: MPI_Send returned MPI_ERR_RANK to 2 */
/* smpi: expect-stderr-contains ranks, 4 times */
/* smpi: compile-args -g */
/* smpi: requires smpi */
#include <mpi.h>

int main(int argc, char **argv) {
    int x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 2; i++)
        MPI_Send(&x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
