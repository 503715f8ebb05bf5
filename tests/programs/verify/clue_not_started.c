/* A persistent receive that was made and not started stands beside the message that waits for it, and a persistent send
 * beside the receive that waits for its message. */
/* smpi: ranks 4 */
/* smpi: compile-args -g */
/* smpi: verify --keep-going --buffering zero */
/* smpi: expect-finding deadlock */
/* smpi: expect-stderr-contains rank 1 has made a persistent receive of it and not started it */
/* smpi: expect-stderr-contains rank 3 has made a persistent send of it and not started it */
/* smpi: expect-stderr-contains clue_not_started.c:25) */
/* smpi: expect-stderr-contains clue_not_started.c:31) */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Request request = MPI_REQUEST_NULL;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    switch (rank) {
    case 0:
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        break;
    case 1:
        MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        break;
    case 2:
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Send_init(&value, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
