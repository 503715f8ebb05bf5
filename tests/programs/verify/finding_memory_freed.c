/* What is sent was freed before. */
/* smpi: ranks 2 */
/* smpi: expect-finding memory/freed */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *values = malloc(100 * sizeof(int));
    if (rank == 0) {
        free(values);
        MPI_Send(values, 100, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(values, 100, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        free(values);
    }
    MPI_Finalize();
    return 0;
}
