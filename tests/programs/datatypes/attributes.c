/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Attributes of datatypes are copied by MPI_Type_dup and deleted with the type, as their callbacks say (MPI 5.0 section 7.7.4). */
#include "../check.h"

static int copies, deletes;

static int copy(MPI_Datatype type, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)type, (void)keyval, (void)state;
    copies++;
    *(void **)out = in;
    *flag = copies == 1; /* the first copy is made, later ones are not */
    return MPI_SUCCESS;
}

static int delete(MPI_Datatype type, int keyval, void *value, void *state)
{
    (void)type, (void)keyval, (void)value, (void)state;
    deletes++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Datatype type, first, second;
    int keyval, plain, found, value = 4;
    void *out;

    check_begin(&argc, &argv);
    MPI_Type_create_keyval(copy, delete, &keyval, NULL);
    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &plain, NULL);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_get_attr(type, keyval, &out, &found);
    CHECK_INT(found, 0);
    MPI_Type_set_attr(type, keyval, &value);
    MPI_Type_set_attr(type, plain, &keyval);
    MPI_Type_dup(type, &first);
    MPI_Type_dup(type, &second);
    CHECK_INT(copies, 2);
    MPI_Type_get_attr(first, keyval, &out, &found);
    CHECK(found && out == &value);
    MPI_Type_get_attr(second, keyval, &out, &found);
    CHECK_INT(found, 0);
    MPI_Type_get_attr(second, plain, &out, &found);
    CHECK(found && out == &keyval);
    MPI_Type_free(&second);
    CHECK_INT(deletes, 0);
    MPI_Type_free(&first);
    CHECK_INT(deletes, 1);
    MPI_Type_delete_attr(type, keyval);
    CHECK_INT(deletes, 2);
    MPI_Type_free(&type);
    CHECK_INT(deletes, 2);
    MPI_Type_free_keyval(&keyval);
    MPI_Type_free_keyval(&plain);
    CHECK(keyval == MPI_KEYVAL_INVALID);
    return check_end();
}
