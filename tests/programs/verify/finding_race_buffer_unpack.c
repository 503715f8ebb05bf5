/* MPI_Unpack writes where something is being received, MPI_Reduce_local reads it. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going --buffering infinite */
/* smpi: expect-finding race/buffer */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value[4] = {0}, packed[4] = {0}, position = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request;
    MPI_Irecv(value, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    if (rank == 0)
        MPI_Unpack(packed, sizeof packed, &position, &value[2], 1, MPI_INT, MPI_COMM_WORLD);
    else
        MPI_Reduce_local(&value[3], packed, 1, MPI_INT, MPI_SUM);
    int out[4] = {0};
    MPI_Send(out, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
