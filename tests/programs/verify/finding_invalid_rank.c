/* A message to a rank that does not exist. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/rank */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = 0;
    MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
