/* smpi: ranks 5 */
/* smpi: expect-pass */
/* Intercommunicators are duplicated without blocking too, with attributes and error handler; a merge of a duplicate
 * works after the original is gone (MPI 5.0 sections 7.4.2, 7.6.2). */
#include "intercomm.h"

static void test(void)
{
    MPI_Comm copy, all;
    MPI_Request request;
    MPI_Errhandler found;
    int keyval, flag, size, value = 0;
    void *out;

    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_dup(inter, &copy);
    MPI_Comm_free(&inter);
    inter = copy;
    MPI_Comm_set_attr(inter, keyval, &value);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Comm_idup(inter, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_get_attr(copy, keyval, &out, &flag);
    CHECK(flag && out == &value);
    MPI_Comm_get_errhandler(copy, &found);
    CHECK(found == MPI_ERRORS_RETURN);
    MPI_Comm_remote_size(copy, &size);
    CHECK_INT(size, remote_size);
    MPI_Intercomm_merge(copy, is_low, &all);
    MPI_Comm_size(all, &size);
    CHECK_INT(size, check_size);
    MPI_Comm_free(&all);
    MPI_Comm_free(&copy);
    MPI_Comm_free_keyval(&keyval);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    check_each_cut(test);
    return check_end();
}
