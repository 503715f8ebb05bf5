/* smpi: ranks 4 */
/* smpi: expect-pass */
/* MPI_Comm_idup gives the new communicator at completion; other traffic goes on meanwhile (MPI 5.0 section 7.4.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm copies[3];
    MPI_Request requests[3];
    int sum = 0, result, in = -1;

    check_begin(&argc, &argv);
    for (int i = 0; i < 3; i++)
        MPI_Comm_idup(MPI_COMM_WORLD, &copies[i], &requests[i]);
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;
    MPI_Sendrecv(&check_rank, 1, MPI_INT, right, 0, &in, 1, MPI_INT, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK_INT(in, left);
    MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_compare(copies[i], MPI_COMM_WORLD, &result);
        CHECK_INT(result, MPI_CONGRUENT);
        MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, copies[i]);
        CHECK_INT(sum, 6);
    }
    MPI_Comm_compare(copies[0], copies[1], &result);
    CHECK_INT(result, MPI_CONGRUENT);
    for (int i = 0; i < 3; i++)
        MPI_Comm_free(&copies[i]);
    return check_end();
}
