/* smpi: ranks 1 */
/* smpi: expect-pass */
/* smpi: requires smpi */
/* Null and freed error handlers, and numbers that are no error codes, are refused. */
#include "../check.h"

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

int main(int argc, char **argv)
{
    MPI_Errhandler mine, stale, null = MPI_ERRHANDLER_NULL;
    int class, code, length;
    char text[MPI_MAX_ERROR_STRING];

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
    CHECK_ERROR(MPI_Errhandler_free(&null), MPI_ERR_ERRHANDLER);
    MPI_Comm_create_errhandler(handler, &mine);
    stale = mine;
    MPI_Errhandler_free(&mine);
    CHECK_ERROR(MPI_Comm_set_errhandler(MPI_COMM_WORLD, stale), MPI_ERR_ERRHANDLER);
    CHECK_ERROR(MPI_Errhandler_free(&stale), MPI_ERR_ERRHANDLER);
    CHECK_ERROR(MPI_Comm_set_errhandler(MPI_COMM_NULL, MPI_ERRORS_RETURN), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Comm_create_errhandler(NULL, &mine), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Comm_create_errhandler(handler, NULL), MPI_ERR_ARG);

    CHECK_ERROR(MPI_Error_class(-7, &class), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Error_string(MPI_ERR_LASTCODE + 1, text, &length), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Add_error_code(MPI_ERR_LASTCODE + 1, &code), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Add_error_string(MPI_ERR_RANK, "mine"), MPI_ERR_ARG);
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    CHECK_ERROR(MPI_Add_error_code(code, &length), MPI_ERR_ARG); /* a code is no class */
    CHECK_ERROR(MPI_Remove_error_string(code), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Remove_error_class(code), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Remove_error_code(class), MPI_ERR_ARG);
    return check_end();
}
