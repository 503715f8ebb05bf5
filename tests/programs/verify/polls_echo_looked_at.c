/* A rank polls for two messages in turn, and looks in the end at what the poll for the other one has answered last: it may have
 * found that message in the last round, or in an earlier one. So it makes a difference that the rank has gone round. */
/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=3 infinite=3 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, values[2], got = 0, found = 0, over = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request;
        MPI_Irecv(&values[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        while (!over) {
            MPI_Iprobe(2, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
            if (found) {
                MPI_Recv(&values[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                got = 1;
            }
            MPI_Test(&request, &over, MPI_STATUS_IGNORE);
        }
        assert(!got || found);
        if (!got)
            MPI_Recv(&values[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
