/* The index is looked at in one branch only, which depends on the order of two other messages: there all orders of three
 * requests count (6), in the other one is enough (1). The assertion about the index fails in that branch. */
/* smpi: requires smpi */
/* smpi: compile-args --verify */
/* smpi: ranks 6 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=7 infinite=7 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[3];
        int values[3], done, first, second;
        for (int i = 0; i < 3; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < 3; i++)
            MPI_Waitany(3, requests, &done, MPI_STATUS_IGNORE);
        if (first > second)
            assert(done != 1);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, rank > 3, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
