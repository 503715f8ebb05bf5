/* Three messages through an attached buffer with room for two: whether the third finds room depends on how soon the first
 * is received. Not all orders are tried for that, and it is said. */
/* smpi: ranks 3 */
/* smpi: verify --stateful */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains larger */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, value = 0, size = 2 * (int)(sizeof value + MPI_BSEND_OVERHEAD);
    char *buffer = malloc((size_t)size);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MPI_Buffer_attach(buffer, size);
        for (int i = 0; i < 3; i++) {
            MPI_Bsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Buffer_detach(&buffer, &size);
    }
    for (int i = 0; rank == 0 && i < 3; i++) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; rank == 2 && i < 3; i++) {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
    free(buffer);
    MPI_Finalize();
    return 0;
}
