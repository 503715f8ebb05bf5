/* smpi: ranks 3 */
/* smpi: expect-pass */
/* MPI_Waitall, MPI_Testall and MPI_Waitany work on requests of nonblocking collectives, and the requests become null (MPI 5.0 section 6.12). */
#include "../check.h"

int main(int argc, char **argv)
{
    int a = 1, b = 2, sum_a = 0, sum_b = 0, flag = 0, index, seen = 0;
    MPI_Request requests[2];
    MPI_Status statuses[2];

    check_begin(&argc, &argv);
    MPI_Iallreduce(&a, &sum_a, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(&b, &sum_b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    CHECK_INT(sum_a, check_size);
    CHECK_INT(sum_b, 2 * check_size);
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);

    MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
    MPI_Ibcast(&a, 1, MPI_INT, 1, MPI_COMM_WORLD, &requests[1]);
    while (!flag)
        MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);

    MPI_Iscan(&a, &sum_a, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        seen |= 1 << index;
    }
    CHECK_INT(seen, 3);
    CHECK_INT(sum_a, check_rank + 1);
    return check_end();
}
