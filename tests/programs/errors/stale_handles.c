/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* Handles that were freed are recognised, also when a new object has taken the old one's place (a promise of this library). */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 0, size;
    MPI_Comm comm, old_comm, next;
    MPI_Datatype type, old_type, new_type;
    MPI_Request request, old_request;
    MPI_Group group, old_group;

    check_begin(&argc, &argv);
    check_errors_return();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    old_comm = comm;
    MPI_Comm_free(&comm);
    CHECK_ERROR(MPI_Comm_size(old_comm, &size), MPI_ERR_COMM);
    MPI_Comm_dup(MPI_COMM_WORLD, &next);
    CHECK_ERROR(MPI_Comm_size(old_comm, &size), MPI_ERR_COMM);
    MPI_Comm_free(&next);

    MPI_Type_contiguous(2, MPI_INT, &type);
    old_type = type;
    MPI_Type_free(&type);
    MPI_Type_contiguous(3, MPI_INT, &new_type);
    CHECK_ERROR(MPI_Type_size(old_type, &size), MPI_ERR_TYPE);
    MPI_Type_free(&new_type);

    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    old_request = request;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_ERROR(MPI_Wait(&old_request, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);

    MPI_Comm_group(MPI_COMM_WORLD, &group);
    old_group = group;
    MPI_Group_free(&group);
    CHECK_ERROR(MPI_Group_size(old_group, &size), MPI_ERR_GROUP);
    return check_end();
}
