/* smpi: ranks 1 */
/* smpi: expect-pass */
/* A callback that fails stops the duplication or the deletion, and its code comes out (MPI 5.0 section 7.7.2). */
#include "../check.h"

static int refuse;

static int copy(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)state;
    *(void **)out = in;
    *flag = 1;
    return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)value, (void)state;
    return refuse ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int keyval, found, value = 3;
    void *out;
    MPI_Comm comm, duplicate = MPI_COMM_NULL;

    check_begin(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(copy, delete, &keyval, NULL);
    CHECK_OK(MPI_Comm_set_attr(comm, keyval, &value));
    refuse = 1;
    CHECK(MPI_Comm_dup(comm, &duplicate) != MPI_SUCCESS);
    CHECK(MPI_Comm_delete_attr(comm, keyval) != MPI_SUCCESS);
    MPI_Comm_get_attr(comm, keyval, &out, &found);
    CHECK(found && out == &value); /* the deletion did not take place */
    refuse = 0;
    CHECK_OK(MPI_Comm_delete_attr(comm, keyval));
    CHECK_OK(MPI_Comm_free(&comm));
    MPI_Comm_free_keyval(&keyval);
    return check_end();
}
