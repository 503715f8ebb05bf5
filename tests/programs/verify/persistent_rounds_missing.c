/* The root of a persistent broadcast starts it four times, the other rank twice. The root waits for nobody where sends
   are buffered, so the calls of two rounds must not be taken for one round of both ranks. */
/* smpi: ranks 2 */
/* smpi: verify --buffering infinite */
/* smpi: expect-finding mpi/collective-mismatch */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < (rank == 0 ? 4 : 2); round++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
