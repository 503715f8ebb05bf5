/* smpi: ranks 3 */
/* smpi: expect-pass */
/* MPI_Waitall completes sends, receives, null and inactive requests together, with a status for each (MPI 5.0 section 3.7.5). */
#include "../check.h"

int main(int argc, char **argv)
{
    int out = 0, in[2] = {-1, -1}, length;
    MPI_Request requests[6];
    MPI_Status statuses[6];

    check_begin(&argc, &argv);
    int right = (check_rank + 1) % check_size;
    int left = (check_rank + check_size - 1) % check_size;
    out = check_rank + 50;
    MPI_Irecv(&in[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    requests[1] = MPI_REQUEST_NULL;
    MPI_Isend(&out, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Recv_init(&in[1], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[3]); /* not started */
    MPI_Irecv(&in[1], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[4]);
    MPI_Issend(&out, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[5]);
    MPI_Waitall(6, requests, statuses);
    CHECK_INT(in[0], left + 50);
    CHECK_INT(in[1], right + 50);
    CHECK_INT(statuses[0].MPI_SOURCE, left);
    CHECK_INT(statuses[4].MPI_SOURCE, right);
    CHECK_INT(statuses[1].MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_INT(statuses[3].MPI_TAG, MPI_ANY_TAG);
    MPI_Get_count(&statuses[1], MPI_INT, &length);
    CHECK_INT(length, 0);
    for (int i = 0; i < 6; i++)
        CHECK((requests[i] == MPI_REQUEST_NULL) == (i != 3));
    MPI_Request_free(&requests[3]);
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    return check_end();
}
