/* Each form of MPI_Request_get_status may find the message of rank 2 first; a wrong one is found with each. */
/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
#include <assert.h>
#include <mpi.h>

static MPI_Request requests[2];
static MPI_Status statuses[2];
static int values[2], indices[2], count, done;

/* Two messages, of any ranks. */
static void receive(void) {
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[i]);
}

static void finish(void) {
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 4; round++) {
        if (rank != 0) {
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Barrier(MPI_COMM_WORLD);
            continue;
        }
        receive();
        if (round == 0) {
            MPI_Request_get_status(requests[0], &done, statuses);
            assert(!done || statuses[0].MPI_SOURCE != 2);
        } else if (round == 1) {
            MPI_Request_get_status_all(2, requests, &done, statuses);
            assert(!done || statuses[0].MPI_SOURCE != 2);
        } else if (round == 2) {
            MPI_Request_get_status_any(2, requests, indices, &done, statuses);
            assert(!done || indices[0] == 0);
        } else {
            MPI_Request_get_status_some(2, requests, &count, indices, statuses);
            assert(count < 2);
        }
        finish();
    }
    MPI_Finalize();
    return 0;
}
