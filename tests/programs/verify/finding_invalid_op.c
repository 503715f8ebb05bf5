/* The null operation. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/op */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int value = 0, sum;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
