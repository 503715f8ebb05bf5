/* smpi: ranks 3 */
/* smpi: expect-pass */
/* MPI_Comm_disconnect deletes the attributes and gives MPI_COMM_NULL (MPI 5.0 section 11.10.4). */
#include "../check.h"

static int deleted;

static int count(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)value, (void)state;
    deleted++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int keyval;

    check_begin(&argc, &argv);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count, &keyval, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, keyval, &deleted);
    MPI_Comm_disconnect(&comm);
    CHECK(comm == MPI_COMM_NULL);
    CHECK_INT(deleted, 1);
    MPI_Comm_free_keyval(&keyval);
    return check_end();
}
