/* smpi: ranks 6 */
/* smpi: expect-pass */
/* Messages over an intercommunicator name ranks of the other side (MPI 5.0 section 7.6). */
#include "intercomm.h"

static void test(void)
{
    int in = -1, count = 0;
    MPI_Status status;
    MPI_Request requests[6];

    /* Everybody sends to everybody of the other side. */
    for (int peer = 0; peer < remote_size; peer++)
        MPI_Isend(&check_rank, 1, MPI_INT, peer, local_rank, inter, &requests[count++]);
    for (int peer = 0; peer < remote_size; peer++) {
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &status);
        CHECK_INT(status.MPI_TAG, status.MPI_SOURCE);
        CHECK_INT(in, status.MPI_SOURCE + (is_low ? local_size : 0));
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);

    MPI_Barrier(inter); /* the wildcards above must not see what follows */
    /* Equal ranks of both sides exchange by MPI_Sendrecv. */
    if (local_rank < remote_size) {
        in = -1;
        MPI_Sendrecv(&check_rank, 1, MPI_INT, local_rank, 50, &in, 1, MPI_INT, local_rank, 50, inter,
                     &status);
        CHECK_INT(in, local_rank + (is_low ? local_size : 0));
        CHECK_INT(status.MPI_SOURCE, local_rank);
    }
    MPI_Sendrecv(&check_rank, 1, MPI_INT, MPI_PROC_NULL, 0, &in, 1, MPI_INT, MPI_PROC_NULL, 0, inter,
                 MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_cut(test);
    return check_end();
}
