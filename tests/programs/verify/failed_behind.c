/* A failed assertion says what its rank was told last, and an error of a wait where the operation was started. */
/* smpi: ranks 2 */
/* smpi: compile-args -g */
/* smpi: verify --buffering infinite --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-finding mpi/truncate */
/* smpi: expect-stderr-contains before: rank 0 waited last in MPI_Recv at failed_behind.c:24, which took */
/* smpi: expect-stderr-contains [MPI_ERR_TRUNCATE], of the MPI_Irecv at */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Request request;
    int rank, values[2] = {0, 0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Irecv(values, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(values, 2, MPI_INT, 1, 1, MPI_COMM_WORLD);
        assert(rank == 0);
    }
    MPI_Finalize();
    return 0;
}
