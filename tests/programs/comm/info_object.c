/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Info objects: ordered (key, value) strings that can be set, read, replaced, deleted and copied (MPI 5.0 section 10). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Info info, copy;
    char value[64], key[MPI_MAX_INFO_KEY];
    int found, count, length;

    check_begin(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_get_nkeys(info, &count);
    CHECK_INT(count, 0);
    MPI_Info_set(info, "colour", "green");
    MPI_Info_set(info, "size", "12");
    MPI_Info_set(info, "shape", "round");
    MPI_Info_set(info, "size", "123"); /* replaces */
    MPI_Info_get_nkeys(info, &count);
    CHECK_INT(count, 3);
    MPI_Info_get_nthkey(info, 0, key);
    CHECK(strcmp(key, "colour") == 0);
    MPI_Info_get_nthkey(info, 2, key);
    CHECK(strcmp(key, "shape") == 0);
    MPI_Info_get(info, "size", 63, value, &found);
    CHECK(found && strcmp(value, "123") == 0);
    MPI_Info_get_valuelen(info, "colour", &length, &found);
    CHECK(found);
    CHECK_INT(length, 5);
    MPI_Info_get(info, "weight", 63, value, &found);
    CHECK_INT(found, 0);

    MPI_Info_dup(info, &copy);
    MPI_Info_delete(info, "colour");
    MPI_Info_get_nkeys(info, &count);
    CHECK_INT(count, 2);
    MPI_Info_get(copy, "colour", 63, value, &found);
    CHECK(found && strcmp(value, "green") == 0);
    MPI_Info_free(&info);
    CHECK(info == MPI_INFO_NULL);
    MPI_Info_free(&copy);
    return check_end();
}
