/* Every kind of send and receive counts once, in the order of starting; which index Waitany returns does not matter. */
/* smpi: ranks 3 */
/* smpi: verify --determinism communication --buffering each */
/* smpi: passes determinism/communication */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>

enum { kinds = 5 };

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, values[kinds], index, flag;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Request requests[3];
    MPI_Recv_init(&values[0], 1, MPI_INT, before, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&rank, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[1]);
    for (int round = 0; round < 2; round++) {
        MPI_Startall(2, requests);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 1, &values[1], 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(&rank, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Message message;
    MPI_Mprobe(before, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(&values[2], 1, MPI_INT, &message, &requests[1]);
    MPI_Irecv(&values[3], 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[2]);
    MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Irecv(&values[4], 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
