/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Generalized requests: started and completed by the program, waited for with others; the callbacks fill the status (MPI 5.0 section 13.2). */
#include "../check.h"

static int queries, frees, cancels;

static int query(void *state, MPI_Status *status)
{
    queries++;
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 3;
    status->MPI_TAG = 44;
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
    CHECK_INT(complete, 0);
    cancels++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int elements = 5, flag = 1, length, in = -1;

    check_begin(&argc, &argv);
    MPI_Grequest_start(query, release, cancel, &elements, &requests[0]);
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    CHECK_INT(flag, 0);
    MPI_Irecv(&in, 1, MPI_INT, check_rank, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(&check_rank, 1, MPI_INT, check_rank, 0, MPI_COMM_WORLD);
    MPI_Cancel(&requests[0]);
    CHECK_INT(cancels, 1);
    MPI_Grequest_complete(requests[0]);
    MPI_Waitall(2, requests, statuses);
    CHECK_INT(in, check_rank);
    CHECK_INT(statuses[0].MPI_TAG, 44);
    MPI_Get_count(&statuses[0], MPI_INT, &length);
    CHECK_INT(length, 5);
    CHECK(queries >= 1);
    CHECK_INT(frees, 1);
    CHECK(requests[0] == MPI_REQUEST_NULL);
    return check_end();
}
