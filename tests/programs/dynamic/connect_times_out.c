/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: twice */
/* smpi: verified deadlock */
/* An attempt to connect where nobody accepts ends with MPI_ERR_PORT after some time (MPI 5.0 section 11.9.4), on all
   ranks that connect. Nothing of it is left: whoever accepts at the port later meets those who connect later. (The time
   is the implementation's; here it is over when nothing else can happen.) */
#include "../check.h"

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME];
    int rank, round, found, size;
    MPI_Comm clients, both;
    check_begin(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check_errors_return();
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &clients);
    MPI_Comm_set_errhandler(clients, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (round = 0; round < 2; round++) {
        both = MPI_COMM_NULL;
        if (rank > 0)
            CHECK_ERROR(MPI_Comm_connect(port, MPI_INFO_NULL, 1, clients, &both), MPI_ERR_PORT);
        CHECK(both == MPI_COMM_NULL);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (round = 0; round < 2; round++) {
        if (rank == 0)
            CHECK_OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, clients, &both));
        else
            CHECK_OK(MPI_Comm_connect(port, MPI_INFO_NULL, 1, clients, &both));
        MPI_Comm_remote_size(both, &size);
        CHECK_INT(size, rank == 0 ? 2 : 1);
        found = -1;
        if (rank == 0) {
            MPI_Recv(&found, 1, MPI_INT, 1, round, both, MPI_STATUS_IGNORE);
            CHECK_INT(found, 2 + round);
        } else if (rank == 2) {
            found = rank + round;
            MPI_Send(&found, 1, MPI_INT, 0, round, both);
        }
        MPI_Comm_disconnect(&both);
    }
    /* A port that is closed while somebody waits. */
    if (rank == 1)
        CHECK_ERROR(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &both), MPI_ERR_PORT);
    else if (rank == 0) {
        MPI_Recv(&found, 1, MPI_INT, 2, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_OK(MPI_Close_port(port));
    } else
        MPI_Send(&found, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    MPI_Comm_free(&clients);
    return check_end();
}
