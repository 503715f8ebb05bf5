/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
/* A name of a port that is looked up after a barrier is there: nothing else can be (MPI 5.0 section 11.9.4). */
#include "../check.h"

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME], found[MPI_MAX_PORT_NAME];
    int rank;
    MPI_Comm connection;
    check_begin(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
        CHECK_OK(MPI_Publish_name("service", MPI_INFO_NULL, port));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Lookup_name("service", MPI_INFO_NULL, found));
    if (rank == 0)
        CHECK_OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &connection));
    if (rank == 1)
        CHECK_OK(MPI_Comm_connect(found, MPI_INFO_NULL, 0, MPI_COMM_SELF, &connection));
    if (rank < 2)
        CHECK_OK(MPI_Comm_disconnect(&connection));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        CHECK_OK(MPI_Unpublish_name("service", MPI_INFO_NULL, found));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        CHECK_OK(MPI_Close_port(port));
    return check_end();
}
