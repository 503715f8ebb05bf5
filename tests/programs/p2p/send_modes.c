/* smpi: ranks 2 */
/* smpi: expect-pass */
/* The four blocking send modes deliver the same data (MPI 5.0 section 3.4). */
#include "../check.h"

int main(int argc, char **argv)
{
    char space[1024 + MPI_BSEND_OVERHEAD];
    void *detached;
    int detached_size, value, go = 1;

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        MPI_Buffer_attach(space, sizeof space);
        value = 10;
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        value = 11;
        MPI_Bsend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        value = 12;
        MPI_Ssend(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        /* A ready send needs a receive that is already posted: rank 1 says so. */
        MPI_Recv(&go, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        value = 13;
        MPI_Rsend(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
        MPI_Buffer_detach(&detached, &detached_size);
        CHECK(detached == space);
        CHECK_INT(detached_size, (int)sizeof space);
    } else {
        MPI_Request ready;
        int ready_value = -1;
        for (int mode = 0; mode < 3; mode++) {
            MPI_Status status;
            value = -1;
            MPI_Recv(&value, 1, MPI_INT, 0, mode, MPI_COMM_WORLD, &status);
            CHECK_INT(value, 10 + mode);
            CHECK_INT(status.MPI_SOURCE, 0);
            CHECK_INT(status.MPI_TAG, mode);
        }
        MPI_Irecv(&ready_value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &ready);
        MPI_Send(&go, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
        MPI_Wait(&ready, MPI_STATUS_IGNORE);
        CHECK_INT(ready_value, 13);
    }
    return check_end();
}
