/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A cancelled receive completes as cancelled, and a later message goes to the next receive (MPI 5.0 section 3.8.4). */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = -1, other = -1, flag = 0;
    MPI_Request request;
    MPI_Status status;

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        CHECK(request != MPI_REQUEST_NULL);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        CHECK_INT(flag, 1);
        CHECK(request == MPI_REQUEST_NULL);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(&other, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &status);
        MPI_Test_cancelled(&status, &flag);
        CHECK_INT(flag, 0);
        CHECK_INT(other, 17);
        CHECK_INT(value, -1);

        /* A persistent receive can be cancelled and started again. */
        MPI_Recv_init(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        CHECK_INT(flag, 1);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Start(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        CHECK_INT(flag, 0);
        CHECK_INT(value, 18);
        MPI_Request_free(&request);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        value = 17;
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        value = 18;
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    return check_end();
}
