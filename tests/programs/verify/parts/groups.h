/* Groups of three ranks: two send to the first of them, which returns whose message came first; the others return 0. */
#include <mpi.h>

static int first_of_group(int rank) {
    int values[2] = {0, 0};
    if (rank % 3)
        MPI_Send(&rank, 1, MPI_INT, rank / 3 * 3, 0, MPI_COMM_WORLD);
    else
        for (int i = 0; i < 2; i++)
            MPI_Recv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return values[0];
}
