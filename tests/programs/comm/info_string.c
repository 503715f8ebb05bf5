/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Info_get_string tells the needed length and cuts to the given one; MPI_INFO_ENV can be read (MPI 5.0 section 10). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Info info;
    char value[32] = "untouched";
    int found, length, count = -1;

    check_begin(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "name", "four");
    length = 0;
    MPI_Info_get_string(info, "name", &length, value, &found);
    CHECK(found && strcmp(value, "untouched") == 0);
    CHECK_INT(length, 5); /* with the terminating zero */
    length = 3;
    MPI_Info_get_string(info, "name", &length, value, &found);
    CHECK(found && strcmp(value, "fo") == 0);
    CHECK_INT(length, 5);
    length = sizeof value;
    MPI_Info_get_string(info, "name", &length, value, &found);
    CHECK(found && strcmp(value, "four") == 0);
    MPI_Info_get_string(info, "other", &length, value, &found);
    CHECK_INT(found, 0);
    MPI_Info_free(&info);
    MPI_Info_get_nkeys(MPI_INFO_ENV, &count);
    CHECK(count >= 0);
    return check_end();
}
