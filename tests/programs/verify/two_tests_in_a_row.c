/* Tests of two receives in a row may both answer "not yet": the second is no repetition of the first. */
/* smpi: ranks 2 */
/* smpi: verify --buffering infinite */
/* smpi: expect-finding assertion */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int values[2], first, second;
        MPI_Request requests[2];
        MPI_Irecv(&values[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Test(&requests[0], &first, MPI_STATUS_IGNORE);
        MPI_Test(&requests[1], &second, MPI_STATUS_IGNORE);
        assert(first || second);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
