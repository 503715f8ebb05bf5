/* smpi: ranks 2 */
/* smpi: expect-pass */
/* MPI_Waitany waits for what comes, not for the first request: only the second message is sent before the answer (MPI 5.0 section 3.7.5). */
#include "../check.h"

int main(int argc, char **argv)
{
    int values[2] = {-1, -1}, index, answer = 1;
    MPI_Request requests[2];

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        MPI_Irecv(&values[0], 1, MPI_INT, 1, 10, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, 1, 11, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        CHECK_INT(index, 1);
        CHECK_INT(values[1], 111);
        MPI_Send(&answer, 1, MPI_INT, 1, 12, MPI_COMM_WORLD);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        CHECK_INT(index, 0);
        CHECK_INT(values[0], 110);
    } else {
        int value = 111;
        MPI_Send(&value, 1, MPI_INT, 0, 11, MPI_COMM_WORLD);
        MPI_Recv(&answer, 1, MPI_INT, 0, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        value = 110;
        MPI_Send(&value, 1, MPI_INT, 0, 10, MPI_COMM_WORLD);
    }
    return check_end();
}
