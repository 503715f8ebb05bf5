/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Bad info objects, keys and values are refused with their own classes.
 * MPICH 4.0.2 deviates: null info objects give MPI_ERR_ARG. */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Info info, null = MPI_INFO_NULL;
    char key[MPI_MAX_INFO_KEY + 10], *value = malloc(MPI_MAX_INFO_VAL + 10);
    int flag, count;

    check_begin(&argc, &argv);
    check_errors_return();
    memset(key, 'k', sizeof key);
    key[sizeof key - 1] = '\0';
    memset(value, 'v', MPI_MAX_INFO_VAL + 9);
    value[MPI_MAX_INFO_VAL + 9] = '\0';
    MPI_Info_create(&info);
    CHECK_ERROR(MPI_Info_set(MPI_INFO_NULL, "a", "b"), MPI_ERR_INFO);
    CHECK_ERROR(MPI_Info_get_nkeys(MPI_INFO_NULL, &count), MPI_ERR_INFO);
    CHECK_ERROR(MPI_Info_free(&null), MPI_ERR_INFO);
    CHECK_ERROR(MPI_Info_set(info, key, "b"), MPI_ERR_INFO_KEY);
    CHECK_ERROR(MPI_Info_set(info, "", "b"), MPI_ERR_INFO_KEY);
    CHECK_ERROR(MPI_Info_set(info, "a", value), MPI_ERR_INFO_VALUE);
    CHECK_ERROR(MPI_Info_delete(info, "missing"), MPI_ERR_INFO_NOKEY);
    CHECK_ERROR(MPI_Info_get_valuelen(info, key, &count, &flag), MPI_ERR_INFO_KEY);
    CHECK_ERROR(MPI_Info_get_nthkey(info, 0, key), MPI_ERR_ARG);
    MPI_Info_free(&info);
    free(value);
    return check_end();
}
