/* smpi: ranks 1 */
/* smpi: expect-pass */
/* A freed error handler lives on where it is set, and can be asked for again (MPI 5.0 section 9.3). */
#include "../check.h"

static int calls;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    calls++;
}

int main(int argc, char **argv)
{
    MPI_Errhandler mine, found, again;
    MPI_Comm comm, other;

    check_begin(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_dup(MPI_COMM_SELF, &other);
    MPI_Comm_create_errhandler(handler, &mine);
    MPI_Comm_set_errhandler(comm, mine);
    MPI_Errhandler_free(&mine);
    /* All handles are gone; the handler is not. */
    MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    CHECK_INT(calls, 1);
    MPI_Comm_get_errhandler(comm, &found);
    MPI_Comm_get_errhandler(comm, &again);
    CHECK(found == again);
    MPI_Errhandler_free(&again);
    MPI_Comm_set_errhandler(other, found);
    MPI_Errhandler_free(&found);
    MPI_Comm_free(&comm);
    MPI_Comm_call_errhandler(other, MPI_ERR_OTHER);
    CHECK_INT(calls, 2);
    MPI_Comm_free(&other);
    /* Many handlers come and go. */
    for (int i = 0; i < 1000; i++) {
        MPI_Comm_create_errhandler(handler, &mine);
        MPI_Errhandler_free(&mine);
        CHECK(mine == MPI_ERRHANDLER_NULL);
    }
    return check_end();
}
