/* A null pointer as the buffer of an element. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/buffer */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Bcast(NULL, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
