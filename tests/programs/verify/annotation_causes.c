/* What a rank does after a Waitany of which it has said that no index matters may be the cause of another message: rank 0
 * receives from any source before and after rank 4 has been through. Both orders of its two messages must be found. */
/* smpi: requires smpi */
/* smpi: ranks 5 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include <assert.h>
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value, done;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 4) {
        MPI_Request requests[2];
        int values[2], matter[2] = {0, 0};
        MPI_Irecv(&values[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &requests[1]);
        SMPI_ANNOTATE(2, matter);
        MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
    } else if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(value != 4);
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 4, 0, MPI_COMM_WORLD);
    } else if (rank == 2) {
        MPI_Send(&rank, 1, MPI_INT, 4, 0, MPI_COMM_WORLD);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
