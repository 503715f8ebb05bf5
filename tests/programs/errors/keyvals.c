/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Attribute keys that do not exist are refused with MPI_ERR_KEYVAL. */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 0, flag, invalid = MPI_KEYVAL_INVALID, key;
    void *out;

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &value), MPI_ERR_KEYVAL);
    CHECK_ERROR(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &out, &flag), MPI_ERR_KEYVAL);
    CHECK_ERROR(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID), MPI_ERR_KEYVAL);
    CHECK_ERROR(MPI_Comm_free_keyval(&invalid), MPI_ERR_KEYVAL);
    /* A key for datatypes is not one for communicators. */
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    CHECK_ERROR(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value), MPI_ERR_KEYVAL);
    MPI_Type_free_keyval(&key);
    return check_end();
}
