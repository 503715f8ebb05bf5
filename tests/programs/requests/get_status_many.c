/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* MPI_Request_get_status_all, _any and _some look at several requests and free none (MPI 5.0 section 3.7.6). */
#include "../check.h"

int main(int argc, char **argv)
{
    int values[2] = {-1, -1}, flag = 1, index = 7, count = 7, indices[2];
    MPI_Request requests[2];
    MPI_Status statuses[2];

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Request_get_status_all(2, requests, &flag, statuses);
        CHECK_INT(flag, 0);
        MPI_Request_get_status_any(2, requests, &index, &flag, statuses);
        CHECK_INT(flag, 0);
        CHECK_INT(index, MPI_UNDEFINED);
        MPI_Request_get_status_some(2, requests, &count, indices, statuses);
        CHECK_INT(count, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        while (!flag)
            MPI_Request_get_status_any(2, requests, &index, &flag, &statuses[0]);
        CHECK(index == 0 || index == 1);
        CHECK_INT(statuses[0].MPI_TAG, index);
        flag = 0;
        while (!flag)
            MPI_Request_get_status_all(2, requests, &flag, statuses);
        CHECK(statuses[0].MPI_TAG == 0 && statuses[1].MPI_TAG == 1);
        MPI_Request_get_status_some(2, requests, &count, indices, statuses);
        CHECK_INT(count, 2);
        CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(values[0] == 5 && values[1] == 6);
    } else {
        int first = 5, second = 6;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&first, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&second, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    return check_end();
}
