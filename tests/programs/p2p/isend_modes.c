/* smpi: ranks 2 */
/* smpi: expect-pass */
/* The four nonblocking send modes deliver the same data (MPI 5.0 section 3.7.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    char space[1024 + MPI_BSEND_OVERHEAD];
    int values[4] = {20, 21, 22, 23};
    int received[4] = {-1, -1, -1, -1};
    MPI_Request requests[4];

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        void *detached;
        int detached_size;
        MPI_Buffer_attach(space, sizeof space);
        MPI_Barrier(MPI_COMM_WORLD); /* all receives are posted: the ready send may start */
        MPI_Isend(&values[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Ibsend(&values[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Issend(&values[2], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[2]);
        MPI_Irsend(&values[3], 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        MPI_Buffer_detach(&detached, &detached_size);
    } else {
        for (int mode = 0; mode < 4; mode++)
            MPI_Irecv(&received[mode], 1, MPI_INT, 0, mode, MPI_COMM_WORLD, &requests[mode]);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        for (int mode = 0; mode < 4; mode++)
            CHECK_INT(received[mode], 20 + mode);
    }
    for (int mode = 0; mode < 4; mode++)
        CHECK(requests[mode] == MPI_REQUEST_NULL);
    return check_end();
}
