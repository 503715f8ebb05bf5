/* A rank asks again and again whether a request is complete, of which it was told so, and polls for a message that never comes: it
 * polls for ever. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going --stateful --buffering infinite */
/* smpi: expect-finding non-termination */
/* smpi: expect-complete */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, values[2], found = 0, over = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request, other;
        MPI_Irecv(&values[0], 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
        MPI_Irecv(&values[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &other);
        while (!over) {
            MPI_Request_get_status(other, &found, MPI_STATUS_IGNORE);
            MPI_Test(&request, &over, MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
