/* Persistent requests that are never started are legal: made and freed, made and left, made and started on one rank only where
 * the others need none (MPI 5.0 §3.9 asks for no start). */
/* smpi: passes request/never-started leak/request */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int value = rank;
    MPI_Request freed, barrier, left, used;
    MPI_Recv_init(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &freed);
    MPI_Request_free(&freed);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &barrier);
    MPI_Request_free(&barrier);
    MPI_Send_init(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &left);
    MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &used);
    if (rank == 1) {
        MPI_Start(&used);
        MPI_Wait(&used, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&used);
    MPI_Finalize();
    return 0;
}
