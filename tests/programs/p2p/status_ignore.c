/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Calls other than those with several statuses leave MPI_ERROR alone, and MPI_STATUS_IGNORE is taken everywhere (MPI 5.0 section 3.2.5). */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = check_rank, flag;
    MPI_Status status;
    MPI_Request request;

    check_begin(&argc, &argv);
    int peer = 1 - check_rank;
    status.MPI_ERROR = 12345;
    MPI_Sendrecv(&value, 1, MPI_INT, peer, 0, &flag, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &status);
    CHECK_INT(status.MPI_ERROR, 12345);
    MPI_Isend(&value, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &request);
    status.MPI_ERROR = 12346;
    MPI_Recv(&flag, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &status);
    CHECK_INT(status.MPI_ERROR, 12346);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(&value, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &request);
    MPI_Probe(peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&flag, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    do
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    while (!flag);
    return check_end();
}
