/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Names, info values and error strings are bytes: those of Latin-1 come back as they were. */
#include "../check.h"

int main(int argc, char **argv)
{
    static const char latin1[] = "\xe9t\xe9 and \xc3\xa9";
    char text[MPI_MAX_ERROR_STRING];
    int length = -1, flag = 0, code;
    MPI_Info info;

    check_begin(&argc, &argv);
    MPI_Comm_set_name(MPI_COMM_WORLD, latin1);
    MPI_Comm_get_name(MPI_COMM_WORLD, text, &length);
    CHECK_INT(length, (int)strlen(latin1));
    CHECK(strcmp(text, latin1) == 0);

    MPI_Info_create(&info);
    MPI_Info_set(info, latin1, latin1);
    MPI_Info_get_valuelen(info, latin1, &length, &flag);
    CHECK_INT(flag, 1);
    CHECK_INT(length, (int)strlen(latin1));
    length = sizeof text;
    MPI_Info_get_string(info, latin1, &length, text, &flag);
    CHECK_INT(length, (int)strlen(latin1) + 1);
    CHECK(strcmp(text, latin1) == 0);
    MPI_Info_get_nthkey(info, 0, text);
    CHECK(strcmp(text, latin1) == 0);
    MPI_Info_free(&info);

    MPI_Add_error_class(&code);
    MPI_Add_error_string(code, latin1);
    MPI_Error_string(code, text, &length);
    CHECK_INT(length, (int)strlen(latin1));
    CHECK(strcmp(text, latin1) == 0);
    return check_end();
}
