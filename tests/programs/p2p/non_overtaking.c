/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Messages of one pair of ranks that fit the same receive arrive in order, whatever their size (MPI 5.0 section 3.5). */
#include "../check.h"

#define MESSAGES 40
#define LARGEST 40000

/* Alternates between sizes that libraries send by different protocols. */
static int size_of(int message)
{
    static const int sizes[] = {1, LARGEST, 10, 20000, 0x4000, 2};
    return sizes[message % 6];
}

int main(int argc, char **argv)
{
    static int buffers[MESSAGES][LARGEST];
    MPI_Request requests[MESSAGES];
    MPI_Status statuses[MESSAGES];

    check_begin(&argc, &argv);
    for (int i = 0; i < MESSAGES; i++) {
        buffers[i][0] = check_rank == 0 ? i : -1;
        if (check_rank == 0)
            MPI_Isend(buffers[i], size_of(i), MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[i]);
        else /* named and wildcard receives mixed */
            MPI_Irecv(buffers[i], LARGEST, MPI_INT, i % 3 == 0 ? MPI_ANY_SOURCE : 0,
                      i % 4 == 0 ? MPI_ANY_TAG : 5, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(MESSAGES, requests, statuses);
    for (int i = 0; i < MESSAGES && check_rank == 1; i++) {
        int length;
        CHECK_INT(buffers[i][0], i);
        MPI_Get_count(&statuses[i], MPI_INT, &length);
        CHECK_INT(length, size_of(i));
    }
    return check_end();
}
