/* smpi: ranks 2 */
/* smpi: expect-pass */
/* MPI_Request_get_status tells whether a request is complete without freeing it (MPI 5.0 section 3.7.6). */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = -1, flag = 1, length;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;

    check_begin(&argc, &argv);
    MPI_Request_get_status(request, &flag, &status);
    CHECK_INT(flag, 1);
    CHECK_INT(status.MPI_SOURCE, MPI_ANY_SOURCE);
    if (check_rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
        MPI_Request_get_status(request, &flag, &status);
        CHECK_INT(flag, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        while (!flag)
            MPI_Request_get_status(request, &flag, &status);
        CHECK_INT(value, 99);
        CHECK_INT(status.MPI_TAG, 3);
        CHECK(request != MPI_REQUEST_NULL);
        flag = 0;
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
        CHECK_INT(flag, 1);
        MPI_Wait(&request, &status);
        CHECK_INT(status.MPI_SOURCE, 1);
        MPI_Get_count(&status, MPI_INT, &length);
        CHECK_INT(length, 1);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        value = 99;
        MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    CHECK(request == MPI_REQUEST_NULL);
    return check_end();
}
