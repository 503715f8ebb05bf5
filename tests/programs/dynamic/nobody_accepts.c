/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding deadlock */
/* smpi: expect-executions zero=1 */
/* Who connects to a port at which nobody accepts may wait for as long as the implementation likes (MPI 5.0
   section 11.9.4): that is reported as waiting for ever. */
#include "../check.h"

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME];
    int rank;
    MPI_Comm connection;
    check_begin(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &connection);
    return check_end();
}
