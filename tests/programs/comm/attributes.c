/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Attributes: set, get, replace, delete; copy callbacks decide at dup, delete callbacks see every end (MPI 5.0 section 7.7.2). */
#include "../check.h"

static int copies, deletes;
static int extra = 44;

static int copy_doubled(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)comm;
    (void)keyval;
    CHECK(state == &extra);
    copies++;
    *(void **)out = (char *)in + (MPI_Aint)in; /* twice the value */
    *flag = 1;
    return MPI_SUCCESS;
}

static int count_delete(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm;
    (void)keyval;
    (void)value;
    CHECK(state == &extra);
    deletes++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int doubled, kept, dropped, found;
    void *value;
    MPI_Comm comm, copy;

    check_begin(&argc, &argv);
    MPI_Comm_create_keyval(copy_doubled, count_delete, &doubled, &extra);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &kept, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &dropped, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_get_attr(comm, doubled, &value, &found);
    CHECK_INT(found, 0);
    MPI_Comm_set_attr(comm, doubled, (void *)(MPI_Aint)21);
    MPI_Comm_set_attr(comm, kept, &extra);
    MPI_Comm_set_attr(comm, dropped, &extra);

    MPI_Comm_dup(comm, &copy);
    CHECK_INT(copies, 1);
    MPI_Comm_get_attr(copy, doubled, &value, &found);
    CHECK_INT(found, 1);
    CHECK_INT((MPI_Aint)value, 42);
    MPI_Comm_get_attr(copy, kept, &value, &found);
    CHECK(found && value == &extra);
    MPI_Comm_get_attr(copy, dropped, &value, &found);
    CHECK_INT(found, 0);

    MPI_Comm_set_attr(comm, doubled, (void *)(MPI_Aint)5); /* the old value goes */
    CHECK_INT(deletes, 1);
    MPI_Comm_get_attr(comm, doubled, &value, &found);
    CHECK_INT((MPI_Aint)value, 5);
    MPI_Comm_delete_attr(comm, doubled);
    CHECK_INT(deletes, 2);
    MPI_Comm_get_attr(comm, doubled, &value, &found);
    CHECK_INT(found, 0);

    int old_keyval = doubled;
    MPI_Comm_free_keyval(&doubled); /* attributes that exist stay until they go */
    CHECK_INT(doubled, MPI_KEYVAL_INVALID);
    MPI_Comm_get_attr(copy, old_keyval, &value, &found);
    CHECK_INT(found, 1);
    MPI_Comm_free(&copy);
    CHECK_INT(deletes, 3);
    MPI_Comm_free_keyval(&kept);
    MPI_Comm_free_keyval(&dropped);
    MPI_Comm_free(&comm);
    CHECK_INT(deletes, 3);
    return check_end();
}
