/* smpi: ranks 2 */
/* smpi: expect-pass */
/* New error classes, codes and texts; MPI_LASTUSEDCODE follows (MPI 5.0 section 9.5). */
#include "../check.h"

static int handled;

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    handled = *code;
}

int main(int argc, char **argv)
{
    int class, other, code, found, *last, result, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Errhandler errhandler;

    check_begin(&argc, &argv);
    MPI_Add_error_class(&class);
    CHECK(class > MPI_ERR_LASTCODE);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &found);
    CHECK(found && *last >= class);
    MPI_Add_error_class(&other);
    CHECK(other != class);
    MPI_Add_error_code(class, &code);
    CHECK(code > MPI_ERR_LASTCODE && code != class);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &found);
    CHECK(*last >= class);
    MPI_Error_class(code, &result);
    CHECK_INT(result, class);
    MPI_Error_class(class, &result);
    CHECK_INT(result, class);
    MPI_Error_string(code, text, &length);
    CHECK_INT(length, 0);
    MPI_Add_error_string(class, "the matrix is singular");
    MPI_Add_error_string(code, "row 3 is zero");
    MPI_Error_string(class, text, &length);
    CHECK(strcmp(text, "the matrix is singular") == 0);
    CHECK_INT(length, 22);
    MPI_Error_string(code, text, &length);
    CHECK(strcmp(text, "row 3 is zero") == 0);
    MPI_Add_error_string(code, "row 4 is zero"); /* replaces */
    MPI_Error_string(code, text, &length);
    CHECK(strcmp(text, "row 4 is zero") == 0);
    MPI_Comm_create_errhandler(handler, &errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
    CHECK_INT(handled, code);
    MPI_Errhandler_free(&errhandler);
    return check_end();
}
