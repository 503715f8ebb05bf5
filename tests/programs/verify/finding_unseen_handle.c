/* Nobody looks at flag and status of MPI_Test, but at the handle: it is null where the send was over. */
/* smpi: requires smpi */
/* smpi: compile-args --verify -O2 */
/* smpi: ranks 2 */
/* smpi: verify --keep-going --stateful */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, got, flag;
    MPI_Request request;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assert(request != MPI_REQUEST_NULL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
