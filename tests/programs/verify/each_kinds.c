/* Every kind of send that need not wait: blocking, nonblocking, persistent, ready, combined with a receive and all together in a
 * Waitall. Each is one step of a chain in which the receiver takes the messages in the opposite order, so all must be buffered; those that
 * must wait, or never do, are the same with every mixture. */
/* smpi: ranks 2 */
/* smpi: verify --buffering each --keep-going */
/* smpi: expect-finding deadlock/buffering */
/* smpi: expect-complete */
/* smpi: expect-executions 7 */
/* smpi: reductions none=466 */
#include <mpi.h>

static void send_all(void) {
    int out[5] = {0}, in;
    MPI_Request requests[3];
    MPI_Send(&out[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Isend(&out[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&out[2], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Start(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[1]);
    MPI_Sendrecv(&out[3], 1, MPI_INT, 1, 3, &in, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&out[4], 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    MPI_Ssend(&out[4], 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
}

static void receive_all(void) {
    int out = 0, in;
    MPI_Send(&out, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    for (int tag = 5; tag >= 0; tag--)
        MPI_Recv(&in, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        send_all();
    else
        receive_all();
    MPI_Finalize();
    return 0;
}
