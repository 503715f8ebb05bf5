/* Where ranks wait for ever, what leads to another line is said: a message that went to another rank, or on another
 * communicator, the call that has taken the message that is waited for, and the calls that have started what
 * MPI_Waitall waits for. */
/* smpi: ranks 5 */
/* smpi: compile-args -g */
/* smpi: verify --buffering infinite */
/* smpi: expect-finding deadlock */
/* smpi: expect-stderr-contains near: rank 1 waits for a message from rank 0 with tag 1; rank 0 has sent rank */
/* smpi: expect-stderr-contains 4 one with tag 1 (deadlock_near_elsewhere.c:26) */
/* smpi: expect-stderr-contains near: rank 2 waits for a message from rank 0 with tag 2; its MPI_Irecv at */
/* smpi: expect-stderr-contains has taken the last one of these (sent at */
/* smpi: expect-stderr-contains started: rank 3 waits for MPI_Irecv at */
/* smpi: expect-stderr-contains sent itself one with tag 3 on another communicator */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Request requests[2];
    int rank, values[2] = {0, 0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    switch (rank) {
    case 0:
        /* Meant for rank 1. */
        MPI_Send(values, 1, MPI_INT, 4, 1, MPI_COMM_WORLD);
        MPI_Send(values, 1, MPI_INT, 2, 2, MPI_COMM_WORLD);
        /* Meant for rank 3. */
        MPI_Send(values, 1, MPI_INT, 0, 3, MPI_COMM_SELF);
        break;
    case 1: MPI_Recv(values, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
    case 2:
        MPI_Irecv(values, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv(&values[1], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        break;
    case 3:
        MPI_Irecv(values, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, 2, 3, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        break;
    default: break;
    }
    MPI_Finalize();
    return 0;
}
