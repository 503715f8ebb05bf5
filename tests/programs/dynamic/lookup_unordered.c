/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* A name that may be looked up before it is published: only one of both orders is explored, and the verdict says so. */
#include "../check.h"

int main(int argc, char **argv)
{
    char found[MPI_MAX_PORT_NAME];
    int rank;
    check_begin(&argc, &argv);
    check_errors_return();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        CHECK_OK(MPI_Publish_name("service", MPI_INFO_NULL, "a port"));
    else
        MPI_Lookup_name("service", MPI_INFO_NULL, found);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        CHECK_OK(MPI_Unpublish_name("service", MPI_INFO_NULL, "a port"));
    return check_end();
}
