/* Partitioned operations among the requests of Waitany: which one is returned is a choice, as with others. */
/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
/* smpi: reductions none=11550 dpor=5 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, index;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int data[2][2];
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Precv_init(data[0], 1, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
        MPI_Precv_init(data[1], 2, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
        MPI_Startall(2, requests);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        assert(data[index][0] == index + 1 && data[index][1] == index + 1);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
    } else {
        data[0][0] = data[0][1] = rank;
        MPI_Psend_init(data, 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
        MPI_Start(&requests[0]);
        MPI_Pready_range(0, 1, requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Request_free(&requests[0]);
    }
    MPI_Finalize();
    return 0;
}
