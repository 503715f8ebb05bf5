/* MPI_Request_get_status answers yes, or not yet, as a test does: two executions. What it has said stays true: a request
 * that is known to be over is over for the next test, too. */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request;
        MPI_Status status;
        int value, done, index;
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Request_get_status(request, &done, &status);
        if (done) {
            MPI_Request_get_status_any(1, &request, &index, &done, MPI_STATUS_IGNORE);
            assert(done && index == 0);
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            assert(done && status.MPI_SOURCE == 1);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
