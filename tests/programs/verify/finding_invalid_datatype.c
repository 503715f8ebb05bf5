/* The null datatype. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/datatype */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int value = 0;
    MPI_Send(&value, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
