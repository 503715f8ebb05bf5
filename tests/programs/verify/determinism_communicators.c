/* The sender is rank 1 of either communicator, and another process in each: compared are ranks of the world. */
/* smpi: ranks 3 */
/* smpi: verify --determinism communication */
/* smpi: expect-finding determinism/communication */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, x = 0;
    MPI_Comm both[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 2 ? MPI_UNDEFINED : 0, rank, &both[0]);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 0, rank, &both[1]);
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, both[rank - 1]);
    if (rank == 0) {
        int first = MC_random(0, 1);
        MPI_Recv(&x, 1, MPI_INT, 1, 0, both[first], MPI_STATUS_IGNORE);
        MPI_Recv(&x, 1, MPI_INT, 1, 0, both[!first], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; i++)
        if (both[i] != MPI_COMM_NULL)
            MPI_Comm_free(&both[i]);
    MPI_Finalize();
    return 0;
}
