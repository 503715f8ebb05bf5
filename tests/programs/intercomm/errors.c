/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Functions for one kind of communicator refuse the other with MPI_ERR_COMM.
 * MPICH 4.0.2 deviates: some do not check, and it crashes. */
#include "intercomm.h"

int main(int argc, char **argv)
{
    int size, value = 0, result = 0;
    MPI_Comm comm;
    MPI_Group group;

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(MPI_Comm_remote_size(MPI_COMM_WORLD, &size), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Comm_remote_group(MPI_COMM_WORLD, &group), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &comm), MPI_ERR_COMM);
    make_inter(1);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    CHECK_ERROR(MPI_Scan(&value, &result, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Exscan(&value, &result, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_COMM);
    free_inter();
    return check_end();
}
