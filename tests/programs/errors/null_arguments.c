/* smpi: ranks 1 */
/* smpi: expect-pass */
/* smpi: verified leak/group request/never-completed */
/* Null pointers for results are refused with MPI_ERR_ARG instead of a crash. */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 0;
    MPI_Request request = MPI_REQUEST_NULL;

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(MPI_Comm_rank(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Comm_size(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Comm_dup(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Test(&request, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Type_size(MPI_INT, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Type_contiguous(1, MPI_INT, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Comm_group(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Op_create(NULL, 1, NULL), MPI_ERR_ARG);
    CHECK_ERROR(MPI_Get_processor_name(NULL, &value), MPI_ERR_ARG);
    return check_end();
}
