/* One variable as both buffers of a reduction. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/buffer */
#include <mpi.h>

int main(int argc, char **argv) {
    int sum = 1;
    MPI_Init(&argc, &argv);
    MPI_Allreduce(&sum, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
