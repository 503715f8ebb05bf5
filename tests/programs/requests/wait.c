/* smpi: ranks 2 */
/* smpi: expect-pass */
/* MPI_Wait and MPI_Test free the request and fill in the status; on a null request they give the empty status (MPI 5.0 section 3.7.3). */
#include "../check.h"

static void check_empty(const MPI_Status *status)
{
    int length = -1, cancelled = 1;
    CHECK_INT(status->MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_INT(status->MPI_TAG, MPI_ANY_TAG);
    MPI_Get_count(status, MPI_BYTE, &length);
    CHECK_INT(length, 0);
    MPI_Test_cancelled(status, &cancelled);
    CHECK_INT(cancelled, 0);
}

int main(int argc, char **argv)
{
    int value = -1, flag = 0;
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;

    check_begin(&argc, &argv);
    MPI_Wait(&request, &status);
    check_empty(&status);
    MPI_Test(&request, &flag, &status);
    CHECK_INT(flag, 1);
    check_empty(&status);

    if (check_rank == 0) {
        value = 31;
        MPI_Isend(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        CHECK_INT(flag, 0);
    } else {
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
        CHECK_INT(value, 31);
        CHECK_INT(status.MPI_SOURCE, 0);
        CHECK_INT(status.MPI_TAG, 4);
    }
    CHECK(request == MPI_REQUEST_NULL);

    /* An inactive persistent request is complete, and stays. */
    MPI_Send_init(&value, 1, MPI_INT, 1 - check_rank, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    check_empty(&status);
    flag = 0;
    MPI_Test(&request, &flag, &status);
    CHECK_INT(flag, 1);
    check_empty(&status);
    CHECK(request != MPI_REQUEST_NULL);
    MPI_Request_free(&request);
    return check_end();
}
