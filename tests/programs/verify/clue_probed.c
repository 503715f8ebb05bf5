/* What a probe waits for has gone to a receive before it. */
/* smpi: ranks 2 */
/* smpi: compile-args -g */
/* smpi: verify --buffering infinite */
/* smpi: expect-finding deadlock */
/* smpi: expect-stderr-contains near: rank 0 waits for a message from rank 1 with tag 0; its MPI_Irecv at */
/* smpi: expect-stderr-contains clue_probed.c:18 has taken the last one of these (sent at clue_probed.c:22) */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Probe(1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
