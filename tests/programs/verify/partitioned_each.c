/* Each partition is buffered or not, for itself: a wait for the whole ends as soon as all that are not received can be. */
/* smpi: ranks 2 */
/* smpi: verify --buffering each */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, done, index;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int data[2] = { 1, 2 };
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(data, 2, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
        MPI_Send(data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        data[0] = data[1] = 0;
        MPI_Precv_init(data, 2, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        assert(data[0] == 1 && data[1] == 2);
        MPI_Recv(data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
