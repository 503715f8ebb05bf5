/* Sends in ready mode whose receives are sure to be posted: after a barrier, a message that was sent after the receive was
 * posted (straight, over a third rank, seen by a probe), a synchronous send, a collective that brings the receiver's data, on
 * oneself, persistent ones, to nobody. */
/* smpi: passes mpi/ready-send */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <assert.h>
#include <mpi.h>
#include <stddef.h>

#define COMM MPI_COMM_WORLD

static int rank, value[4];

/* What makes sure: rank 1 has posted receives before it, rank 0 sends after it. */
static void barrier(void) { MPI_Barrier(COMM); }

static void ibarrier(void) {
    MPI_Request request;
    MPI_Ibarrier(COMM, &request);
    for (int flag = 0; !flag;)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static void token(void) {
    if (rank == 1)
        MPI_Send(NULL, 0, MPI_INT, 0, 7, COMM);
    if (rank == 0)
        MPI_Recv(NULL, 0, MPI_INT, 1, 7, COMM, MPI_STATUS_IGNORE);
}

static void token_of_sendrecv(void) {
    if (rank < 2)
        MPI_Sendrecv(NULL, 0, MPI_INT, 1 - rank, 7, NULL, 0, MPI_INT, 1 - rank, 7, COMM, MPI_STATUS_IGNORE);
}

static void over_rank_2(void) {
    if (rank == 1)
        MPI_Send(NULL, 0, MPI_INT, 2, 7, COMM);
    if (rank == 2) {
        MPI_Recv(NULL, 0, MPI_INT, 1, 7, COMM, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_INT, 0, 7, COMM);
    }
    if (rank == 0)
        MPI_Recv(NULL, 0, MPI_INT, 2, 7, COMM, MPI_STATUS_IGNORE);
}

static void probed(void) {
    if (rank == 1)
        MPI_Send(NULL, 0, MPI_INT, 0, 7, COMM);
    if (rank == 0)
        MPI_Probe(1, 7, COMM, MPI_STATUS_IGNORE);
}

static void after_probed(void) {
    if (rank == 0)
        MPI_Recv(NULL, 0, MPI_INT, 1, 7, COMM, MPI_STATUS_IGNORE);
}

static void synchronous(void) {
    if (rank == 0)
        MPI_Ssend(NULL, 0, MPI_INT, 1, 7, COMM);
    if (rank == 1)
        MPI_Recv(NULL, 0, MPI_INT, 0, 7, COMM, MPI_STATUS_IGNORE);
}

static void gather(void) {
    int all[3];
    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, COMM);
}

static void bcast(void) { MPI_Bcast(&value[3], 1, MPI_INT, 1, COMM); }

static void sure(void (*makes)(void), void (*then)(void)) {
    MPI_Request requests[2];
    if (rank == 1) {
        MPI_Irecv(&value[0], 1, MPI_INT, 0, 0, COMM, &requests[0]);
        MPI_Irecv(&value[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, COMM, &requests[1]);
    }
    makes();
    if (rank == 0) {
        MPI_Rsend(&value[2], 1, MPI_INT, 1, 0, COMM);
        MPI_Irsend(&value[2], 1, MPI_INT, 1, 0, COMM, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    if (rank == 1)
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (then)
        then();
}

static void persistent(void) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0)
        MPI_Rsend_init(value, 1, MPI_INT, 1, 0, COMM, &request);
    if (rank == 1)
        MPI_Recv_init(value, 1, MPI_INT, 0, 0, COMM, &request);
    for (int i = 0; i < 2; i++) {
        if (rank == 1)
            MPI_Start(&request);
        MPI_Barrier(COMM);
        if (rank == 0)
            MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(COMM, &rank);
    sure(barrier, NULL);
    sure(ibarrier, NULL);
    sure(token, NULL);
    sure(token_of_sendrecv, NULL);
    sure(over_rank_2, NULL);
    sure(probed, after_probed);
    sure(synchronous, NULL);
    sure(gather, NULL);
    sure(bcast, NULL);
    MPI_Request request;
    persistent();
    MPI_Irecv(&value[0], 1, MPI_INT, rank, 5, COMM, &request);
    MPI_Rsend(&value[1], 1, MPI_INT, rank, 5, COMM);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rsend(&value[1], 1, MPI_INT, MPI_PROC_NULL, 5, COMM);
    MPI_Finalize();
    return 0;
}
