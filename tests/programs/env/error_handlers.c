/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Error handlers: created, set, read back, inherited by dup, called with communicator and code (MPI 5.0 section 9.3).
 * MPICH 5 deviates: a function that has called a handler of the program returns MPI_SUCCESS. */
#include "../check.h"

static int calls, last_class;
static MPI_Comm last_comm;

static void handler(MPI_Comm *comm, int *code, ...)
{
    calls++;
    last_comm = *comm;
    MPI_Error_class(*code, &last_class);
}

int main(int argc, char **argv)
{
    MPI_Errhandler mine, found;
    MPI_Comm comm, copy;
    int value = 0, class;

    check_begin(&argc, &argv);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found);
    CHECK(found == MPI_ERRORS_ARE_FATAL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handler, &mine);
    MPI_Comm_set_errhandler(comm, mine);
    MPI_Comm_get_errhandler(comm, &found);
    CHECK(found == mine);
    MPI_Errhandler_free(&found);
    CHECK(found == MPI_ERRHANDLER_NULL);

    int code = MPI_Send(&value, 1, MPI_INT, 1000, 0, comm);
    MPI_Error_class(code, &class);
    CHECK_INT(class, MPI_ERR_RANK);
    CHECK_INT(calls, 1);
    CHECK_INT(last_class, MPI_ERR_RANK);
    CHECK(last_comm == comm);

    MPI_Comm_dup(comm, &copy); /* inherits the handler, which lives on although freed here */
    MPI_Errhandler_free(&mine);
    CHECK(mine == MPI_ERRHANDLER_NULL);
    MPI_Send(&value, -1, MPI_INT, 0, 0, copy);
    CHECK_INT(calls, 2);
    CHECK_INT(last_class, MPI_ERR_COUNT);
    CHECK(last_comm == copy);
    MPI_Comm_call_errhandler(copy, MPI_ERR_TOPOLOGY);
    CHECK_INT(calls, 3);
    CHECK_INT(last_class, MPI_ERR_TOPOLOGY);

    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER));
    CHECK_ERROR(MPI_Send(&value, 1, MPI_INT, 1000, 0, copy), MPI_ERR_RANK);
    CHECK_INT(calls, 3);
    MPI_Comm_get_errhandler(copy, &found);
    CHECK(found == MPI_ERRORS_RETURN);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&copy);
    return check_end();
}
