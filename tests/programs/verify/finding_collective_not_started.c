/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: verify --buffering=infinite */
/* smpi: expect-finding deadlock */
/* smpi: expect-stderr-contains ranks 0,2 to call */
/* smpi: expect-stderr-contains rank 1 to call */
/* A persistent operation is called when it is started: who has made it and has not started it for this round is missing. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Request barrier;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &barrier);
    for (int round = 0; round < 2 + (rank == 1); round++) {
        MPI_Start(&barrier);
        MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request_free(&barrier);
    MPI_Finalize();
    return 0;
}
