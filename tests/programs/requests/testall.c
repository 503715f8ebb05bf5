/* smpi: ranks 2 */
/* smpi: expect-pass */
/* MPI_Testall changes no request until all are complete, then frees them together (MPI 5.0 section 3.7.5). */
#include "../check.h"

int main(int argc, char **argv)
{
    int values[2] = {-1, -1}, flag = 1, token = 0;
    MPI_Request requests[2];
    MPI_Status statuses[2];

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        MPI_Irecv(&values[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Recv(&token, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        /* The first message is here, the second waits for our token. */
        for (int i = 0; i < 10; i++) {
            MPI_Testall(2, requests, &flag, statuses);
            CHECK_INT(flag, 0);
            CHECK(requests[0] != MPI_REQUEST_NULL);
            CHECK(requests[1] != MPI_REQUEST_NULL);
        }
        MPI_Send(&token, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
        while (!flag)
            MPI_Testall(2, requests, &flag, statuses);
        CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
        CHECK_INT(values[0], 60);
        CHECK_INT(values[1], 61);
        CHECK_INT(statuses[1].MPI_TAG, 1);
        MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
        CHECK_INT(flag, 1);
    } else {
        int first = 60, second = 61;
        MPI_Send(&first, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&token, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Recv(&token, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&second, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    return check_end();
}
