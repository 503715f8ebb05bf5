/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Empty messages are messages: they match, carry a status and complete, with a null buffer too (MPI 5.0 section 3.2.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Status status;
    MPI_Request request;
    int length = -1, untouched = 8;

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Ssend(NULL, 0, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
        MPI_Isend(NULL, 0, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &length);
        CHECK_INT(length, 0);
        CHECK_INT(status.MPI_TAG, 1);
        MPI_Recv(&untouched, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &length);
        CHECK_INT(length, 0);
        CHECK_INT(untouched, 8);
        MPI_Irecv(NULL, 0, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
        CHECK_INT(status.MPI_SOURCE, 0);
        CHECK_INT(status.MPI_TAG, 3);
    }
    return check_end();
}
