/* A failed rank has waited for a request that nobody has started, and so for nothing; and a call of it has returned an error. */
/* smpi: ranks 2 */
/* smpi: compile-args -g */
/* smpi: verify */
/* smpi: expect-finding assertion */
/* smpi: expect-stderr-contains had nothing to wait for: the request */
/* smpi: expect-stderr-contains clue_idle.c:25 was not started */
/* smpi: expect-stderr-contains clue_idle.c:24 returned MPI_ERR_RANK */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        value = 5;
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
        MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        assert(value == 5);
        MPI_Request_free(&request);
    }
    MPI_Finalize();
    return 0;
}
