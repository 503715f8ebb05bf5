/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Cancelling a receive that has its message changes nothing; a cancelled send is either cancelled or delivered, not both (MPI 5.0 section 3.8.4). */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = -1, flag = -1, token = 0;
    MPI_Request request;
    MPI_Status status;

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Recv(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
        while (!flag)
            MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        CHECK_INT(flag, 0);
        CHECK_INT(value, 5);

        value = 6;
        MPI_Issend(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Request_free(&request); /* a marked request may be freed; rank 1 sees what became of it */
        MPI_Send(&token, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        value = 5;
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(&token, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        value = -1;
        MPI_Iprobe(0, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (flag) {
            MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK_INT(value, 6);
        }
    }
    return check_end();
}
