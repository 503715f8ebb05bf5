/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A persistent send may match an ordinary receive, and the other way round (MPI 5.0 section 3.9). */
#include "../check.h"

int main(int argc, char **argv)
{
    int value;
    MPI_Request request;

    check_begin(&argc, &argv);
    int peer = 1 - check_rank;
    if (check_rank == 0)
        MPI_Send_init(&value, 1, MPI_INT, peer, 5, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);

    for (int round = 0; round < 3; round++) {
        /* Persistent send to ordinary receive. */
        if (check_rank == 0) {
            value = round;
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            int got = -1;
            MPI_Recv(&got, 1, MPI_INT, peer, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK_INT(got, round);
        }
        /* Ordinary send to persistent wildcard receive. */
        if (check_rank == 0) {
            int out = 50 + round;
            MPI_Send(&out, 1, MPI_INT, peer, round, MPI_COMM_WORLD);
        } else {
            MPI_Status status;
            value = -1;
            MPI_Start(&request);
            MPI_Wait(&request, &status);
            CHECK_INT(value, 50 + round);
            CHECK_INT(status.MPI_SOURCE, 0);
            CHECK_INT(status.MPI_TAG, round);
        }
    }
    MPI_Request_free(&request);
    return check_end();
}
