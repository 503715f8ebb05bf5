/* Waitany returns the second send only if that is buffered: rank 2 receives it last. Then rank 0 sends to 1 before it receives,
 * as 1 does: a deadlock if those sends are not buffered. */
/* smpi: ranks 3 */
/* smpi: verify --buffering each --keep-going */
/* smpi: expect-finding deadlock/buffering */
/* smpi: expect-complete */
/* smpi: expect-executions 3 */
/* smpi: reductions none=25258 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, values[2] = {0, 0}, in;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request sends[2];
        int index;
        MPI_Isend(&values[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &sends[0]);
        MPI_Isend(&values[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &sends[1]);
        MPI_Waitany(2, sends, &index, MPI_STATUS_IGNORE);
        if (index == 1)
            MPI_Send(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(&in, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (index == 0)
            MPI_Send(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
        MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(&in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
