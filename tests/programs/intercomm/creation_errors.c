/* smpi: ranks 4 */
/* smpi: expect-pass */
/* smpi: requires smpi */
/* MPI_Intercomm_create refuses leaders out of range, negative tags and the wrong kind of communicator.
 * A leader inside the own group is refused before any message leaves. */
#include "intercomm.h"

int main(int argc, char **argv)
{
    MPI_Comm comm;

    check_begin(&argc, &argv);
    check_errors_return();
    make_inter(2);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(local_comm, MPI_ERRORS_RETURN);
    CHECK_ERROR(MPI_Intercomm_create(local_comm, 2, MPI_COMM_WORLD, 0, 1, &comm), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Intercomm_create(local_comm, -1, MPI_COMM_WORLD, 0, 1, &comm), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Intercomm_create(local_comm, 0, MPI_COMM_WORLD, 0, -1, &comm), MPI_ERR_TAG);
    CHECK_ERROR(MPI_Intercomm_create(inter, 0, MPI_COMM_WORLD, 0, 1, &comm), MPI_ERR_COMM);
    if (local_rank == 0) {
        CHECK_ERROR(MPI_Intercomm_create(local_comm, 0, MPI_COMM_WORLD, 4, 1, &comm), MPI_ERR_RANK);
        CHECK_ERROR(MPI_Intercomm_create(local_comm, 0, MPI_COMM_WORLD, check_rank, 1, &comm), MPI_ERR_RANK);
        CHECK_ERROR(MPI_Intercomm_create(local_comm, 0, MPI_COMM_NULL, 0, 1, &comm), MPI_ERR_COMM);
    }
    CHECK_ERROR(MPI_Comm_split_type(inter, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm), MPI_ERR_COMM);
    free_inter();
    return check_end();
}
