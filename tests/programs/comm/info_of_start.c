/* smpi: ranks 2 */
/* smpi: args one two */
/* smpi: expect-pass */
/* What the start of the program was, in MPI_INFO_ENV and in the info object that MPI_Info_create_env makes without
 * MPI_Init; the latter can be changed, and duplicated (MPI 5.0 section 10). A value that is not known is left out. */
#include "../check.h"

/* Whether a key has a value; if it has, that is the expected one. */
static int has(MPI_Info info, const char *key, const char *expected)
{
    char value[MPI_MAX_INFO_VAL] = "";
    int length = sizeof value, flag = 0;

    CHECK_OK(MPI_Info_get_string(info, key, &length, value, &flag));
    CHECK(!flag || expected == NULL || strcmp(value, expected) == 0);
    return flag;
}

int main(int argc, char **argv)
{
    MPI_Info info = MPI_INFO_NULL, copy = MPI_INFO_NULL;
    int before = -1, keys = -1, flag = -1;

    if (MPI_Info_create_env(argc, argv, &info) != MPI_SUCCESS || info == MPI_INFO_NULL)
        printf("FAIL: no info object before MPI_Init\n");
    check_begin(&argc, &argv);
    CHECK_OK(MPI_Info_get_nkeys(info, &before));
    has(info, "maxprocs", "2");
    CHECK(has(info, "command", argv[0]));
    CHECK_OK(MPI_Info_set(info, "colour", "red"));
    CHECK_OK(MPI_Info_get_nkeys(info, &keys));
    CHECK_INT(keys, before + 1);
    CHECK(has(info, "colour", "red"));
    CHECK_OK(MPI_Info_dup(info, &copy));
    CHECK_OK(MPI_Info_delete(info, "colour"));
    CHECK(!has(info, "colour", NULL) && has(copy, "colour", "red"));
    CHECK_OK(MPI_Info_get_valuelen(copy, "colour", &keys, &flag));
    CHECK(flag && keys == 3);
    CHECK(has(MPI_INFO_ENV, "maxprocs", "2") || MPI_INFO_ENV != MPI_INFO_NULL);
    CHECK_OK(MPI_Info_free(&copy));
    CHECK_OK(MPI_Info_free(&info));
    CHECK(copy == MPI_INFO_NULL && info == MPI_INFO_NULL);
    return check_end();
}
