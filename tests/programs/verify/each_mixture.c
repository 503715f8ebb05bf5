/* Rank 1 sends to 0 and then to 2, which sends to 0 when it hears of it. Rank 0 may take the message of 2 first; then it sends to
 * 3 before it receives, as 3 does. A deadlock only where rank 1's first message is buffered, and those of 0 and 3 are
 * not: neither extreme shows it. */
/* smpi: ranks 4 */
/* smpi: verify --buffering each --keep-going */
/* smpi: expect-finding deadlock/buffering */
/* smpi: expect-complete */
/* smpi: expect-executions 3 */
#include <mpi.h>

static void send_to(int peer) {
    int value = 0;
    MPI_Send(&value, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
}

static int receive_from(int peer) {
    int value;
    MPI_Status status;
    MPI_Recv(&value, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &status);
    return status.MPI_SOURCE;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm others;
    /* Rank 3 uses a communicator of its own, so that the wildcards do not take its message. */
    MPI_Comm_dup(MPI_COMM_WORLD, &others);
    int value = 0;
    if (rank == 0) {
        int first = receive_from(MPI_ANY_SOURCE);
        receive_from(MPI_ANY_SOURCE);
        if (first == 2)
            MPI_Send(&value, 1, MPI_INT, 3, 0, others);
        MPI_Recv(&value, 1, MPI_INT, 3, 0, others, MPI_STATUS_IGNORE);
        if (first != 2)
            MPI_Send(&value, 1, MPI_INT, 3, 0, others);
    } else if (rank == 1) {
        send_to(0);
        send_to(2);
    } else if (rank == 2) {
        receive_from(1);
        send_to(0);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, others);
        MPI_Recv(&value, 1, MPI_INT, 0, 0, others, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&others);
    MPI_Finalize();
    return 0;
}
