/* smpi: ranks 3 */
/* smpi: expect-pass */
/* Names, attributes, error handlers and the nonblocking duplication of intercommunicators. */
#include "intercomm.h"

int main(int argc, char **argv)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length, keyval, found, value = 9, in = -1;
    void *out;
    MPI_Comm copy;
    MPI_Request request;

    check_begin(&argc, &argv);
    make_inter(1);
    MPI_Comm_set_name(inter, "bridge");
    MPI_Comm_get_name(inter, name, &length);
    CHECK(strcmp(name, "bridge") == 0);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(inter, keyval, &value);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Comm_idup(inter, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_get_attr(copy, keyval, &out, &found);
    CHECK(found && out == &value);
    CHECK_ERROR(MPI_Send(&value, 1, MPI_INT, remote_size, 0, copy), MPI_ERR_RANK);
    if (local_rank == 0) {
        MPI_Sendrecv(&check_rank, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, copy, MPI_STATUS_IGNORE);
        CHECK_INT(in, is_low ? 1 : 0);
    }
    MPI_Comm_free(&copy);
    MPI_Comm_free_keyval(&keyval);
    free_inter();
    return check_end();
}
