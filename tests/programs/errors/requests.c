/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Starting, cancelling or freeing what is not such a request is refused with MPI_ERR_REQUEST. */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 0, flag;
    MPI_Request request = MPI_REQUEST_NULL, receive;
    MPI_Message message = MPI_MESSAGE_NULL;

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(MPI_Request_free(&request), MPI_ERR_REQUEST);
    CHECK_ERROR(MPI_Cancel(&request), MPI_ERR_REQUEST);
    CHECK_ERROR(MPI_Start(&request), MPI_ERR_REQUEST);
    CHECK_ERROR(MPI_Startall(1, &request), MPI_ERR_REQUEST);
    MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &receive);
    CHECK_ERROR(MPI_Start(&receive), MPI_ERR_REQUEST); /* not persistent */
    MPI_Cancel(&receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Ibarrier(MPI_COMM_WORLD, &receive);
    CHECK(MPI_Cancel(&receive) != MPI_SUCCESS); /* a collective operation cannot be cancelled (MPI 5.0 section 6.12) */
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    CHECK_ERROR(MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    CHECK_ERROR(MPI_Imrecv(&value, 1, MPI_INT, &message, &request), MPI_ERR_REQUEST);
    CHECK(MPI_Waitall(-1, &request, MPI_STATUSES_IGNORE) != MPI_SUCCESS);
    CHECK(MPI_Testall(-1, &request, &flag, MPI_STATUSES_IGNORE) != MPI_SUCCESS);
    return check_end();
}
