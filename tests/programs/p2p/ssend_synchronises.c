/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A synchronous send is not complete before its receive has started (MPI 5.0 section 3.4). */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 6, flag = 1, token = 0;
    MPI_Request request;

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        MPI_Issend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 20; i++) {
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            CHECK_INT(flag, 0); /* rank 1 waits for the token and has not posted its receive */
        }
        MPI_Send(&token, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&token, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        value = -1;
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(value, 6);
    }
    return check_end();
}
