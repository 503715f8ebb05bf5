/* A negative dimension. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/dimensions */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int dims[2] = {-1, 0};
    MPI_Dims_create(4, 2, dims);
    MPI_Finalize();
    return 0;
}
