/* A probe of any source does not reserve the message: a receive of any source after it may take the other one. Two
 * answers of the probe and two messages for the receive: four executions, in which the assertion fails in two. */
/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-executions 4 */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Status status;
        int first, second;
        MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MC_assert(first == status.MPI_SOURCE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
