/* smpi: ranks 4 */
/* smpi: expect-pass */
/* MPI_Waitany returns every request once and then MPI_UNDEFINED; null requests are passed over (MPI 5.0 section 3.7.5). */
#include "../check.h"

#define RANKS 4

int main(int argc, char **argv)
{
    int values[RANKS], seen[RANKS] = {0}, index, value;
    MPI_Request requests[RANKS];
    MPI_Status status;

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        requests[0] = MPI_REQUEST_NULL;
        for (int peer = 1; peer < RANKS; peer++)
            MPI_Irecv(&values[peer], 1, MPI_INT, peer, peer, MPI_COMM_WORLD, &requests[peer]);
        for (int i = 1; i < RANKS; i++) {
            MPI_Waitany(RANKS, requests, &index, &status);
            CHECK(index > 0 && index < RANKS);
            seen[index]++;
            CHECK_INT(status.MPI_SOURCE, index);
            CHECK_INT(status.MPI_TAG, index);
            CHECK_INT(values[index], index * index);
            CHECK(requests[index] == MPI_REQUEST_NULL);
        }
        for (int peer = 1; peer < RANKS; peer++)
            CHECK_INT(seen[peer], 1);
        MPI_Waitany(RANKS, requests, &index, &status);
        CHECK_INT(index, MPI_UNDEFINED);
        CHECK_INT(status.MPI_SOURCE, MPI_ANY_SOURCE);
        CHECK_INT(status.MPI_TAG, MPI_ANY_TAG);
        MPI_Waitany(0, NULL, &index, &status);
        CHECK_INT(index, MPI_UNDEFINED);
    } else {
        value = check_rank * check_rank;
        MPI_Send(&value, 1, MPI_INT, 0, check_rank, MPI_COMM_WORLD);
    }
    return check_end();
}
