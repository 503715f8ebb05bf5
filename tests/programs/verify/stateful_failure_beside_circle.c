/* A rank fails while the others go on for ever: they come back to where they were, and this execution has no end at
 * which the failure could be shown. */
/* smpi: ranks 3 */
/* smpi: verify --stateful --keep-going */
/* smpi: expect-finding crash */
/* smpi: expect-complete */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        abort();
    for (;;)
        if (rank == 1)
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Ssend(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
}
