/* smpi: ranks 4 */
/* smpi: expect-pass */
/* Thousands of nonblocking messages may be outstanding at once, among all pairs of ranks. */
#include "../check.h"

#define PER_PAIR 500
#define RANKS 4

int main(int argc, char **argv)
{
    static int out[RANKS][PER_PAIR], in[RANKS][PER_PAIR];
    static MPI_Request requests[2 * RANKS * PER_PAIR];
    int count = 0, wrong = 0;

    check_begin(&argc, &argv);
    for (int message = 0; message < PER_PAIR; message++)
        for (int peer = 0; peer < RANKS; peer++) {
            out[peer][message] = check_rank * 1000000 + peer * 10000 + message;
            /* Receives run from the last tag to the first. */
            int tag = PER_PAIR - 1 - message;
            MPI_Irecv(&in[peer][tag], 1, MPI_INT, peer, tag, MPI_COMM_WORLD, &requests[count++]);
            MPI_Isend(&out[peer][message], 1, MPI_INT, peer, message, MPI_COMM_WORLD,
                      &requests[count++]);
        }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    for (int peer = 0; peer < RANKS; peer++)
        for (int message = 0; message < PER_PAIR; message++)
            wrong += in[peer][message] != peer * 1000000 + check_rank * 10000 + message;
    CHECK_INT(wrong, 0);
    return check_end();
}
