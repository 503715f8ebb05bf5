/* A rank asks again and again whether a partition has arrived that it knows of, and polls for a message that never comes: it polls
 * for ever. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going --stateful */
/* smpi: expect-finding non-termination */
/* smpi: expect-complete */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value, parts[4] = {0}, found = 0, over = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request request, whole;
    if (rank == 0) {
        MPI_Precv_init(parts, 2, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &whole);
        MPI_Start(&whole);
        MPI_Irecv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
        while (!over) {
            MPI_Parrived(whole, 0, &found);
            MPI_Test(&request, &over, MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Psend_init(parts, 2, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &whole);
        MPI_Start(&whole);
        MPI_Pready(0, whole);
        MPI_Pready(1, whole);
        MPI_Wait(&whole, MPI_STATUS_IGNORE);
        MPI_Request_free(&whole);
    }
    MPI_Finalize();
    return 0;
}
