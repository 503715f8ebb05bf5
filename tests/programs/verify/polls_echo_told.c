/* A rank polls for two messages in turn, and sends to rank 3 when it has the first one what the poll for the other one has answered
 * last. So others hear whether it has gone round; afterwards the rank itself has forgotten it. */
/* smpi: ranks 4 */
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
        int told[2] = {got, found};
        MPI_Send(told, 2, MPI_INT, 3, 0, MPI_COMM_WORLD);
        found = told[0] = told[1] = 0;
        if (!got)
            MPI_Recv(&values[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 3) {
        int told[2];
        MPI_Recv(told, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(!told[0] || told[1]);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
