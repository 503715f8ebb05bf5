/* smpi: ranks 2 */
/* smpi: expect-pass */
/* An error handler belongs to one communicator on one rank: others keep theirs (MPI 5.0 section 9.3).
 * MPICH 5 deviates: a function that has called a handler of the program returns MPI_SUCCESS. */
#include "../check.h"

static int calls;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    calls++;
}

int main(int argc, char **argv)
{
    MPI_Errhandler mine;
    MPI_Comm comm;
    int value = 0;

    check_begin(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(handler, &mine);
    MPI_Comm_set_errhandler(comm, check_rank == 0 ? mine : MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_ERROR(MPI_Send(&value, 1, MPI_INT, 0, -77, comm), MPI_ERR_TAG);
    CHECK_INT(calls, check_rank == 0 ? 1 : 0);
    CHECK_ERROR(MPI_Send(&value, 1, MPI_INT, 0, -77, MPI_COMM_WORLD), MPI_ERR_TAG);
    CHECK_INT(calls, check_rank == 0 ? 1 : 0);
    MPI_Errhandler_free(&mine);
    MPI_Comm_free(&comm);
    return check_end();
}
