/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
/* Two ranks connect to a port of a third one: who is accepted first is a choice, and nothing else is
   (MPI 5.0 section 11.9). */
#include "../check.h"

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME];
    int rank, peer = -1, i, value;
    MPI_Comm connection;
    check_begin(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (i = 0; i < 2; i++) {
            CHECK_OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &connection));
            CHECK_OK(MPI_Recv(&peer, 1, MPI_INT, 0, 5, connection, MPI_STATUS_IGNORE));
            value = 10 * peer;
            CHECK_OK(MPI_Send(&value, 1, MPI_INT, 0, 6, connection));
            CHECK_OK(MPI_Comm_disconnect(&connection));
        }
        CHECK_OK(MPI_Close_port(port));
    } else {
        CHECK_OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &connection));
        CHECK_OK(MPI_Send(&rank, 1, MPI_INT, 0, 5, connection));
        CHECK_OK(MPI_Recv(&value, 1, MPI_INT, 0, 6, connection, MPI_STATUS_IGNORE));
        CHECK_INT(value, 10 * rank);
        CHECK_OK(MPI_Comm_disconnect(&connection));
    }
    return check_end();
}
