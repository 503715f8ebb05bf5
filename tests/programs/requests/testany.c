/* smpi: ranks 3 */
/* smpi: expect-pass */
/* MPI_Testany: false while nothing is complete, then one request a call, MPI_UNDEFINED and true at the end (MPI 5.0 section 3.7.5). */
#include "../check.h"

int main(int argc, char **argv)
{
    int values[3] = {-1, -1, -1}, index = 0, flag = 1, value;
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status;

    check_begin(&argc, &argv);
    MPI_Testany(3, requests, &index, &flag, &status);
    CHECK_INT(flag, 1);
    CHECK_INT(index, MPI_UNDEFINED);
    if (check_rank == 0) {
        for (int peer = 1; peer < 3; peer++)
            MPI_Irecv(&values[peer], 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[peer]);
        MPI_Testany(3, requests, &index, &flag, &status);
        CHECK_INT(flag, 0);
        CHECK_INT(index, MPI_UNDEFINED);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int done = 0; done < 2; done++) {
            do
                MPI_Testany(3, requests, &index, &flag, &status);
            while (!flag);
            CHECK(index == 1 || index == 2);
            CHECK_INT(status.MPI_SOURCE, index);
            CHECK_INT(values[index], index + 4);
        }
        MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE);
        CHECK_INT(flag, 1);
        CHECK_INT(index, MPI_UNDEFINED);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        value = check_rank + 4;
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    return check_end();
}
