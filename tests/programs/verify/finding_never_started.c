/* A persistent request that is made, freed, and never started. */
/* smpi: ranks 2 */
/* smpi: expect-finding request/never-started */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int value;
    MPI_Request request;
    MPI_Recv_init(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
