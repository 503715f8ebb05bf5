/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Hints of communicators: set, get a copy, given at duplication (MPI 5.0 sections 7.4.2, 7.4.4). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Info info, found;
    MPI_Request request;
    int result;

    check_begin(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
    CHECK_INT(result, MPI_CONGRUENT);
    MPI_Comm_get_info(comm, &found);
    CHECK(found != MPI_INFO_NULL);
    MPI_Info_free(&found);
    MPI_Comm_set_info(comm, info);
    MPI_Comm_get_info(comm, &found);
    MPI_Info_free(&found);
    MPI_Comm_free(&comm);
    MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &comm, &request);
    MPI_Info_free(&info);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    return check_end();
}
