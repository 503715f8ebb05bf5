/* All ranks are through, but a receive from any source that nobody waits for could still take a message. Had it done so
 * earlier, Waitany could have returned it: four executions, of which two return each index, with and without buffering. */
/* smpi: requires smpi */
/* smpi: compile-args --verify */
/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-finding request/never-completed */
/* smpi: expect-complete */
/* smpi: expect-executions zero=4 infinite=4 */
/* smpi: reductions none=160 dpor=6 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, done;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[2];
        int values[2];
        MPI_Irecv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
        assert(done == 0);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
