/* A call has one place in its program, however often it is asked for; functions of the program that the call runs make
 * calls at places of their own, and after them it is asked for again (MPI 5.0 §7.7.2: a copy function may call MPI). */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding leak/communicator */
/* smpi: expect-finding leak/datatype */
/* smpi: expect-stderr-contains places_of_nested_calls.c:15 in copy */
/* smpi: expect-stderr-contains places_of_nested_calls.c:28 in main */
#include <mpi.h>

static MPI_Datatype pair;

static int copy(MPI_Comm comm, int keyval, void *extra, void *value, void *copied, int *flag) {
    int sent = 1, received = 0;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Sendrecv(&sent, 1, MPI_INT, 0, 0, &received, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    (void)comm, (void)keyval, (void)extra, (void)value, (void)copied;
    *flag = 0;
    return MPI_SUCCESS;
}

int main(int argc, char **argv) {
    MPI_Comm left;
    int keyval, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &value);
    MPI_Comm_dup(MPI_COMM_WORLD, &left);
    MPI_Comm_free_keyval(&keyval);
    MPI_Finalize();
    return 0;
}
