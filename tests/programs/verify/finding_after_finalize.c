/* A call after MPI_Finalize. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/after-finalize */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return 0;
}
