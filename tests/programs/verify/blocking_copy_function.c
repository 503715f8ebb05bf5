/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* A copy function may communicate: the duplication is put back and tried again with the rest of the program. */
#include "../check.h"

static int copy(MPI_Comm comm, int keyval, void *state, void *value, void *result, int *flag)
{
    int sum = 0, one = 1;

    (void)keyval;
    (void)state;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK_INT(sum, check_size);
    *(void **)result = value;
    *flag = 1;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int keys[3], values[3], got = 0, any = -1;
    MPI_Comm parent, twin;

    check_begin(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &keys[i], NULL);
        MPI_Comm_set_attr(parent, keys[i], &values[i]);
    }
    /* Two orders. */
    if (check_rank == 0)
        for (int i = 1; i < check_size; i++)
            MPI_Recv(&any, 1, MPI_INT, MPI_ANY_SOURCE, 0, parent, MPI_STATUS_IGNORE);
    else
        MPI_Send(&check_rank, 1, MPI_INT, 0, 0, parent);
    MPI_Comm_dup(parent, &twin);
    for (int i = 0; i < 3; i++) {
        int *value = NULL;
        MPI_Comm_get_attr(twin, keys[i], &value, &got);
        CHECK_INT(got, 1);
        CHECK(value == &values[i]);
        MPI_Comm_free_keyval(&keys[i]);
    }
    MPI_Comm_free(&twin);
    MPI_Comm_free(&parent);
    return check_end();
}
