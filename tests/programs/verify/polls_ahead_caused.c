/* Rank 0 polls for two messages in turn. The second is sent when the first is known to have been received: it cannot be there
 * first, and how often the polls fail makes no difference. */
/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, values[2] = {0, 0}, count = 0, done;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[2];
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        while (count < 2)
            for (int i = 0; i < 2; i++) {
                if (requests[i] == MPI_REQUEST_NULL)
                    continue;
                MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
                if (done) {
                    assert(count == i);
                    count++;
                    MPI_Send(&rank, i ? 0 : 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
                }
            }
    } else {
        if (rank == 2)
            MPI_Recv(&values[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (rank == 2)
            MPI_Recv(&values[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
