/* smpi: ranks 3 */
/* smpi: expect-pass */
/* MPI_Testsome: zero while nothing is complete, each request once, MPI_UNDEFINED when none is active (MPI 5.0 section 3.7.5). */
#include "../check.h"

int main(int argc, char **argv)
{
    int values[3] = {-1, -1, -1}, indices[3], count = -1, value, total = 0;
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[3];

    check_begin(&argc, &argv);
    MPI_Testsome(3, requests, &count, indices, statuses);
    CHECK_INT(count, MPI_UNDEFINED);
    if (check_rank == 0) {
        for (int peer = 1; peer < 3; peer++)
            MPI_Irecv(&values[peer], 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[peer]);
        MPI_Testsome(3, requests, &count, indices, statuses);
        CHECK_INT(count, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        while (total < 2) {
            MPI_Testsome(3, requests, &count, indices, statuses);
            CHECK(count >= 0 && count <= 2 - total);
            for (int i = 0; i < count; i++) {
                CHECK_INT(statuses[i].MPI_SOURCE, indices[i]);
                CHECK_INT(values[indices[i]], indices[i] + 4);
                CHECK(requests[indices[i]] == MPI_REQUEST_NULL);
            }
            total += count;
        }
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        value = check_rank + 4;
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    return check_end();
}
