/* smpi: ranks 2 */
/* smpi: expect-pass */
/* The empty status of a null or inactive request has the error MPI_SUCCESS (MPI 5.0 section 3.7.3), whatever was in the
 * variable before; other calls with one status leave the error alone (section 3.2.5). */
#include "../check.h"

#define BEFORE 12345

static MPI_Status dirty(void)
{
    MPI_Status status;
    memset(&status, 0x55, sizeof status);
    status.MPI_ERROR = BEFORE;
    return status;
}

static void check_empty(const MPI_Status *status, const char *call)
{
    int count, cancelled;
    MPI_Get_count(status, MPI_INT, &count);
    MPI_Test_cancelled(status, &cancelled);
    if (status->MPI_SOURCE != MPI_ANY_SOURCE || status->MPI_TAG != MPI_ANY_TAG || status->MPI_ERROR != MPI_SUCCESS ||
        count != 0 || cancelled)
        check_fail(__FILE__, __LINE__, call);
}

static void check_all_calls(MPI_Request request)
{
    MPI_Request one = request, two[2] = {MPI_REQUEST_NULL, request};
    MPI_Status status = dirty();
    int flag, index;

    MPI_Wait(&one, &status);
    check_empty(&status, "MPI_Wait");
    status = dirty();
    MPI_Test(&one, &flag, &status);
    check_empty(&status, "MPI_Test");
    status = dirty();
    MPI_Waitany(2, two, &index, &status);
    check_empty(&status, "MPI_Waitany");
    status = dirty();
    MPI_Testany(2, two, &index, &flag, &status);
    check_empty(&status, "MPI_Testany");
    status = dirty();
    MPI_Request_get_status(one, &flag, &status);
    check_empty(&status, "MPI_Request_get_status");
    status = dirty();
    MPI_Request_get_status_any(2, two, &index, &flag, &status);
    check_empty(&status, "MPI_Request_get_status_any");
}

int main(int argc, char **argv)
{
    int value = 0, got;
    MPI_Request send, receive;
    MPI_Status status = dirty();

    check_begin(&argc, &argv);
    int peer = 1 - check_rank;
    check_all_calls(MPI_REQUEST_NULL);
    MPI_Send_init(&value, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &send);
    check_all_calls(send);
    MPI_Irecv(&got, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &receive);
    MPI_Start(&send);
    MPI_Wait(&send, &status);
    CHECK_INT(status.MPI_ERROR, BEFORE);
    check_all_calls(send);
    status = dirty();
    MPI_Wait(&receive, &status);
    CHECK_INT(status.MPI_ERROR, BEFORE);
    CHECK_INT(status.MPI_SOURCE, peer);
    check_all_calls(receive);
    MPI_Request_free(&send);
    return check_end();
}
