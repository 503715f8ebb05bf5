/* smpi: ranks 4 */
/* smpi: expect-pass */
/* One MPI_Waitall may cover point-to-point, persistent and collective requests (MPI 5.0 section 6.12). */
#include "../check.h"

int main(int argc, char **argv)
{
    int out = 0, in = -1, sum = 0, root_value = 0, persistent_in = -1;
    MPI_Request requests[6];

    check_begin(&argc, &argv);
    int right = (check_rank + 1) % check_size;
    int left = (check_rank + check_size - 1) % check_size;
    out = check_rank + 1;
    root_value = check_rank == 2 ? 77 : -1;
    MPI_Iallreduce(&out, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Recv_init(&persistent_in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Start(&requests[2]);
    MPI_Ibcast(&root_value, 1, MPI_INT, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Irecv(&in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[4]);
    MPI_Isend(&out, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[5]);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    CHECK_INT(sum, check_size * (check_size + 1) / 2);
    CHECK_INT(in, left + 1);
    CHECK_INT(persistent_in, left + 1);
    CHECK_INT(root_value, 77);
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[2] != MPI_REQUEST_NULL);
    MPI_Request_free(&requests[2]);
    return check_end();
}
