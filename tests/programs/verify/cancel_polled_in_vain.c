/* A receive that may be cancelled takes nothing, for the executions in which it is. Where it is not, and its rank polls
 * for it, there is no such execution: that is certain as soon as the rank comes back to where it was, and not after a
 * thousand polls. */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
/* smpi: expect-transitions zero=20 infinite=19 */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    int rank, chosen, found = 0, values[2];
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int tag = 0; tag < 2; tag++)
            MPI_Irecv(&values[tag], 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &requests[tag]);
        chosen = MC_random(0, 1);
        MPI_Send(&chosen, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        while (!found)
            MPI_Test(&requests[chosen], &found, MPI_STATUS_IGNORE);
        MPI_Cancel(&requests[1 - chosen]);
        MPI_Wait(&requests[1 - chosen], MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&chosen, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 0, chosen, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
