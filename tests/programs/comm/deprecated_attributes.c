/* smpi: ranks 2 */
/* smpi: compile-args -Wno-deprecated-declarations */
/* smpi: expect-pass */
/* The attribute functions of MPI-1 still work (MPI 5.0 chapter 16). */
#include "../check.h"

static int deletes;

static int delete(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)value, (void)state;
    deletes++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int key, found, value = 8;
    void *out;
    MPI_Comm comm, copy;

    check_begin(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Keyval_create(MPI_DUP_FN, delete, &key, NULL);
    MPI_Attr_put(comm, key, &value);
    MPI_Attr_get(comm, key, &out, &found);
    CHECK(found && out == &value);
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_get_attr(copy, key, &out, &found);
    CHECK(found && out == &value);
    MPI_Attr_delete(copy, key);
    CHECK_INT(deletes, 1);
    MPI_Keyval_free(&key);
    CHECK_INT(key, MPI_KEYVAL_INVALID);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    CHECK_INT(deletes, 2);
    return check_end();
}
