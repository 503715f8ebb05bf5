/* smpi: ranks 2 */
/* smpi: expect-pass */
/* The free function of a generalized request that the program frees runs when the request is complete, and the query
   function of one that is complete answers MPI_Request_get_status (MPI 5.0 section 13.2). */
#include "../check.h"

static int queries, frees;

static int query(void *state, MPI_Status *status)
{
    queries++;
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 5;
    status->MPI_TAG = 6;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    (void)state;
    frees++;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void check_status(const MPI_Status *status)
{
    int length = -1;

    CHECK_INT(status->MPI_SOURCE, 5);
    CHECK_INT(status->MPI_TAG, 6);
    MPI_Get_count(status, MPI_INT, &length);
    CHECK_INT(length, 3);
}

int main(int argc, char **argv)
{
    MPI_Request request;
    MPI_Status status;
    int elements = 3, flag = 0;

    check_begin(&argc, &argv);

    /* Asked without being freed, as often as the program likes. */
    MPI_Grequest_start(query, release, cancel, &elements, &request);
    MPI_Request_get_status(request, &flag, &status);
    CHECK_INT(flag, 0);
    CHECK_INT(queries, 0);
    MPI_Grequest_complete(request);
    for (int i = 1; i <= 2; i++) {
        memset(&status, 0, sizeof status);
        MPI_Request_get_status(request, &flag, &status);
        CHECK_INT(flag, 1);
        CHECK_INT(queries, i);
        CHECK_INT(frees, 0);
        check_status(&status);
    }
    memset(&status, 0, sizeof status);
    MPI_Wait(&request, &status);
    check_status(&status);
    CHECK_INT(queries, 3);
    CHECK_INT(frees, 1);
    CHECK(request == MPI_REQUEST_NULL);

    /* Freed when complete. */
    MPI_Grequest_start(query, release, cancel, &elements, &request);
    MPI_Grequest_complete(request);
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_INT(queries, 3);
    CHECK_INT(frees, 2);

    /* Freed before: the program still completes it. Some MPIs run the function at once. */
    MPI_Grequest_start(query, release, cancel, &elements, &request);
    MPI_Request copy = request;
    MPI_Request_free(&request);
    MPI_Grequest_complete(copy);
    CHECK_INT(queries, 3);
    CHECK_INT(frees, 3);
    return check_end();
}
