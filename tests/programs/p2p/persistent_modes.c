/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Persistent requests of every mode can be started again and again (MPI 5.0 section 3.9). */
#include "../check.h"

#define ROUNDS 5

int main(int argc, char **argv)
{
    char space[4096 + MPI_BSEND_OVERHEAD];
    int values[4];
    MPI_Request requests[4];

    check_begin(&argc, &argv);
    int peer = 1 - check_rank;
    if (check_rank == 0) {
        MPI_Buffer_attach(space, sizeof space);
        MPI_Send_init(&values[0], 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Bsend_init(&values[1], 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Ssend_init(&values[2], 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &requests[2]);
        MPI_Rsend_init(&values[3], 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &requests[3]);
    } else {
        for (int mode = 0; mode < 4; mode++)
            MPI_Recv_init(&values[mode], 1, MPI_INT, peer, mode, MPI_COMM_WORLD, &requests[mode]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int mode = 0; mode < 4; mode++)
            values[mode] = check_rank == 0 ? 100 * round + mode : -1;
        if (check_rank == 1) {
            MPI_Startall(4, requests);
            MPI_Barrier(MPI_COMM_WORLD);
        } else {
            MPI_Barrier(MPI_COMM_WORLD);
            for (int mode = 0; mode < 4; mode++)
                MPI_Start(&requests[mode]);
        }
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        for (int mode = 0; mode < 4; mode++) {
            CHECK_INT(values[mode], 100 * round + mode);
            CHECK(requests[mode] != MPI_REQUEST_NULL);
        }
    }
    for (int mode = 0; mode < 4; mode++) {
        MPI_Request_free(&requests[mode]);
        CHECK(requests[mode] == MPI_REQUEST_NULL);
    }
    if (check_rank == 0) {
        void *detached;
        int detached_size;
        MPI_Buffer_detach(&detached, &detached_size);
    }
    return check_end();
}
