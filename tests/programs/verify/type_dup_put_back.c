/* smpi: ranks 4 */
/* smpi: compile-args -g -O0 */
/* smpi: verify */
/* smpi: expect-executions 6 */
/* smpi: expect-no-finding */
/* A rank waits in the program's own function that copies an attribute of a datatype, while messages from any source are
 * taken in all orders: what MPI_Type_dup holds meanwhile is put back each time, and not given up more than once. */
#include <mpi.h>
#include <stddef.h>

static int receives(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    int x;
    for (int i = 0; i < 3; i++)
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    (void)type, (void)key, (void)extra;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int rank, key;
    MPI_Datatype type, copy;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Type_vector(3, 2, 5, MPI_INT, &type);
        MPI_Type_create_keyval(receives, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
        MPI_Type_set_attr(type, key, NULL);
        MPI_Type_dup(type, &copy);
        MPI_Type_free(&copy);
        MPI_Type_free(&type);
        MPI_Type_free_keyval(&key);
    } else
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
