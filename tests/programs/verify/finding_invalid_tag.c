/* A negative tag. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/tag */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int value = 0;
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, -5, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
