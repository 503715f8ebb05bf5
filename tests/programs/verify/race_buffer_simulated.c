/* With --strict, operations that share memory are found in a simulation, too. */
/* smpi: requires smpi */
/* smpi: ranks 2 */
/* smpi: smpirun-args --strict */
/* smpi: expect-exit 1 */
/* smpi: expect-stderr-contains warning: race/buffer: rank 0 sends from memory that MPI_Irecv */
/* smpi: expect-stderr-contains warning: race/buffer: rank 1 freed the receive buffer of MPI_Irecv */
/* smpi: expect-stderr-contains warning: mpi/invalid/buffer: rank 0 receives into memory that the */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, *value = calloc(8, sizeof(int));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request;
    MPI_Irecv(value, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&value[rank == 0 ? 1 : 4], 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    if (rank == 1)
        free(value);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Sendrecv(value, 2, MPI_INT, 0, 0, &value[1], 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
