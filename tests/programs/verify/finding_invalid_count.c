/* A negative count. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/count */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int value = 0;
    MPI_Send(&value, -1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
