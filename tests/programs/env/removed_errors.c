/* smpi: ranks 1 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* Added error classes, codes and texts can be removed again, in the right order (MPI 5.0 section 9.5). */
#include "../check.h"

int main(int argc, char **argv)
{
    int class, code, length;
    char text[MPI_MAX_ERROR_STRING];

    check_begin(&argc, &argv);
    check_errors_return();
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "out of paper");
    CHECK(MPI_Remove_error_class(class) != MPI_SUCCESS); /* it still has a code */
    CHECK_OK(MPI_Remove_error_string(code));
    MPI_Error_string(code, text, &length);
    CHECK_INT(length, 0);
    CHECK_OK(MPI_Remove_error_code(code));
    CHECK_OK(MPI_Remove_error_class(class));
    CHECK(MPI_Remove_error_class(MPI_ERR_RANK) != MPI_SUCCESS);
    return check_end();
}
