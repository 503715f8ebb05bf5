/* A root that is not a rank. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/root */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = 0;
    MPI_Bcast(&value, 1, MPI_INT, size, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
