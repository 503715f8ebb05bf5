/* smpi: ranks 2 */
/* smpi: expect-pass */
/* The error codes of a generalized request's callbacks are those of the call that ran them (MPI 5.0 section 13.2).
   MPICH 4.0.2 deviates: when one fails, MPI_Waitall does not wait for the others. */
#include "../check.h"

static int frees;

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    return ((int *)state)[0];
}

static int release(void *state)
{
    frees++;
    return ((int *)state)[1];
}

static int cancel(void *state, int complete)
{
    (void)complete;
    return ((int *)state)[2];
}

static MPI_Request completed(int *codes)
{
    MPI_Request request;

    MPI_Grequest_start(query, release, cancel, codes, &request);
    MPI_Grequest_complete(request);
    return request;
}

int main(int argc, char **argv)
{
    int failing_query[3] = {MPI_ERR_OTHER, MPI_SUCCESS, MPI_SUCCESS};
    int failing_free[3] = {MPI_SUCCESS, MPI_ERR_INTERN, MPI_SUCCESS};
    int failing_cancel[3] = {MPI_SUCCESS, MPI_SUCCESS, MPI_ERR_ARG};
    int flag = 0, index = -1;
    MPI_Request request, requests[2];
    MPI_Status status, statuses[2];

    check_begin(&argc, &argv);
    check_errors_return();

    request = completed(failing_query);
    CHECK_ERROR(MPI_Request_get_status(request, &flag, &status), MPI_ERR_OTHER);
    CHECK_INT(flag, 1);
    CHECK_INT(frees, 0);
    CHECK_ERROR(MPI_Wait(&request, &status), MPI_ERR_OTHER);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_INT(frees, 1);

    request = completed(failing_free);
    CHECK_ERROR(MPI_Waitany(1, &request, &index, &status), MPI_ERR_INTERN);
    CHECK_INT(index, 0);
    request = completed(failing_free);
    CHECK_ERROR(MPI_Request_free(&request), MPI_ERR_INTERN);
    CHECK(request == MPI_REQUEST_NULL);

    requests[0] = completed(failing_free);
    MPI_Irecv(&index, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
    CHECK_ERROR(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
    CHECK_ERROR(statuses[0].MPI_ERROR, MPI_ERR_INTERN);
    CHECK_ERROR(statuses[1].MPI_ERROR, MPI_SUCCESS);
    CHECK_INT(statuses[1].MPI_SOURCE, MPI_PROC_NULL);

    MPI_Grequest_start(query, release, cancel, failing_cancel, &request);
    CHECK_ERROR(MPI_Cancel(&request), MPI_ERR_ARG);
    MPI_Grequest_complete(request);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    return check_end();
}
