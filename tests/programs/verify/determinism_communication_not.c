/* Requests are completed in any order, and each receives the same: nonblocking receives with a name, and Waitany. */
/* smpi: ranks 4 */
/* smpi: verify --determinism communication */
/* smpi: passes determinism/communication */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 6 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, x = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Request requests[3];
        int values[3], index;
        for (int i = 0; i < 3; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < 3; i++)
            MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
