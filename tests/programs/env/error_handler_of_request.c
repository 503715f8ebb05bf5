/* smpi: ranks 1 */
/* smpi: expect-pass */
/* smpi: verified deadlock */
/* The error handler of a communicator is for every exception "during a call to MPI for a communication with this
   communicator" (MPI 5.0 section 9.3), so also for those that a wait finds. MPI_COMM_WORLD's and MPI_COMM_SELF's handlers
   are fatal here.
   MPICH 4.0.2 deviates: it calls MPI_COMM_WORLD's. */
#include "../check.h"

static int calls;
static MPI_Comm last;

static void count(MPI_Comm *comm, int *code, ...)
{
    int error_class;

    MPI_Error_class(*code, &error_class);
    CHECK(error_class == MPI_ERR_TRUNCATE || error_class == MPI_ERR_IN_STATUS);
    last = *comm;
    calls++;
}

static MPI_Request too_small(MPI_Comm comm)
{
    static int from[2] = {1, 2}, to;
    MPI_Request request;

    MPI_Irecv(&to, 1, MPI_INT, 0, 0, comm, &request);
    MPI_Send(from, 2, MPI_INT, 0, 0, comm);
    return request;
}

int main(int argc, char **argv)
{
    MPI_Comm comm, returning;
    MPI_Errhandler handler;
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;
    int index, flag = 0, code = MPI_SUCCESS, value[2] = {1, 2};

    check_begin(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_errhandler(count, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);

    request = too_small(comm);
    CHECK_ERROR(MPI_Wait(&request, &status), MPI_ERR_TRUNCATE);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_INT(calls, 1);
    CHECK(last == comm);

    request = too_small(comm);
    CHECK_ERROR(MPI_Waitall(1, &request, &status), MPI_ERR_IN_STATUS);
    CHECK_INT(calls, 2);
    request = too_small(comm);
    CHECK_ERROR(MPI_Waitany(1, &request, &index, &status), MPI_ERR_TRUNCATE);
    CHECK_INT(calls, 3);
    request = too_small(comm);
    while (!flag && code == MPI_SUCCESS)
        code = MPI_Test(&request, &flag, &status);
    CHECK_ERROR(code, MPI_ERR_TRUNCATE);
    CHECK_INT(calls, 4);

    MPI_Send(value, 2, MPI_INT, 0, 0, comm);
    MPI_Mprobe(0, 0, comm, &message, &status);
    CHECK_ERROR(MPI_Mrecv(value, 1, MPI_INT, &message, &status), MPI_ERR_TRUNCATE);
    CHECK_INT(calls, 5);

    MPI_Comm_dup(MPI_COMM_SELF, &returning);
    MPI_Comm_set_errhandler(returning, MPI_ERRORS_RETURN);
    request = too_small(returning);
    CHECK_ERROR(MPI_Wait(&request, &status), MPI_ERR_TRUNCATE);
    CHECK_INT(calls, 5);
    MPI_Comm_free(&returning);
    MPI_Comm_free(&comm);
    return check_end();
}
