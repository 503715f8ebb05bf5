/* A barrier on the null communicator. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/communicator */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm none = MPI_COMM_NULL;
    MPI_Barrier(none);
    MPI_Finalize();
    return 0;
}
