/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-finding race/message */
/* smpi: expect-incomplete */
/* The result depends on which message comes first. That is found with zero buffering, and the exploration stops before
   the other mode: it is not complete. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, from, other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("rank %d was first\n", from);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
