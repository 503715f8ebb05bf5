/* The dimensions of a communicator without topology. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/topology */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int n;
    MPI_Cartdim_get(MPI_COMM_WORLD, &n);
    MPI_Finalize();
    return 0;
}
