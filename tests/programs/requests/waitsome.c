/* smpi: ranks 5 */
/* smpi: expect-pass */
/* MPI_Waitsome returns at least one completed request a call, each once, and MPI_UNDEFINED when none is left (MPI 5.0 section 3.7.5). */
#include "../check.h"

#define RANKS 5

int main(int argc, char **argv)
{
    int values[RANKS], seen[RANKS] = {0}, indices[RANKS], count, value, total = 0;
    MPI_Request requests[RANKS];
    MPI_Status statuses[RANKS];

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        requests[0] = MPI_REQUEST_NULL;
        for (int peer = 1; peer < RANKS; peer++)
            MPI_Irecv(&values[peer], 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[peer]);
        while (total < RANKS - 1) {
            MPI_Waitsome(RANKS, requests, &count, indices, statuses);
            CHECK(count >= 1 && count <= RANKS - 1 - total);
            for (int i = 0; i < count; i++) {
                seen[indices[i]]++;
                CHECK_INT(statuses[i].MPI_SOURCE, indices[i]);
                CHECK_INT(values[indices[i]], 7 * indices[i]);
                CHECK(requests[indices[i]] == MPI_REQUEST_NULL);
            }
            total += count;
        }
        for (int peer = 1; peer < RANKS; peer++)
            CHECK_INT(seen[peer], 1);
        MPI_Waitsome(RANKS, requests, &count, indices, MPI_STATUSES_IGNORE);
        CHECK_INT(count, MPI_UNDEFINED);
    } else {
        value = 7 * check_rank;
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    return check_end();
}
