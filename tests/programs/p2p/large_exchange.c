/* smpi: ranks 3 */
/* smpi: expect-pass */
/* Nonblocking 2 MB messages in both directions between all pairs complete, whoever posts first. */
#include "../check.h"

#define COUNT (1 << 19)
#define RANKS 3

int main(int argc, char **argv)
{
    static int out[COUNT], in[RANKS][COUNT];
    MPI_Request requests[2 * RANKS];

    check_begin(&argc, &argv);
    for (int i = 0; i < COUNT; i++)
        out[i] = check_rank * 1000003 + i;
    /* Rank 1 sends before it receives, the others the other way round. */
    for (int half = 0; half < 2; half++)
        for (int peer = 0; peer < RANKS; peer++)
            if ((half == 0) == (check_rank == 1))
                MPI_Isend(out, COUNT, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[half * RANKS + peer]);
            else
                MPI_Irecv(in[peer], COUNT, MPI_INT, peer, 0, MPI_COMM_WORLD,
                          &requests[half * RANKS + peer]);
    MPI_Waitall(2 * RANKS, requests, MPI_STATUSES_IGNORE);
    for (int peer = 0; peer < RANKS; peer++) {
        int wrong = 0;
        for (int i = 0; i < COUNT; i++)
            wrong += in[peer][i] != peer * 1000003 + i;
        CHECK_INT(wrong, 0);
    }
    return check_end();
}
