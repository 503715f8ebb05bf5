/* A rank probes for a message whose send is cancelled, and has posted a receive before that accepts it: the probe cannot see the
 * message as long as the receive is there, in whatever order schedules are tried. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going --deviations 1000 */
/* smpi: expect-finding deadlock */
/* smpi: expect-finding race/message */
/* smpi: expect-complete */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, first, is_there, sent = 1, received = 0, part = 2;
    MPI_Request requests[2], send;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Issend(&sent, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &send);
        MPI_Cancel(&send);
        MPI_Psend_init(&part, 1, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, requests);
        MPI_Start(requests);
        MPI_Pready(0, requests[0]);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        MPI_Request_free(requests);
    } else {
        MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, requests);
        MPI_Precv_init(&part, 1, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, requests + 1);
        MPI_Start(requests + 1);
        MPI_Waitany(2, requests, &first, MPI_STATUS_IGNORE);
        MPI_Iprobe(0, 0, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
        printf("%d first, then %d\n", first, is_there);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Request_free(requests + 1);
    }
    MPI_Finalize();
    return 0;
}
