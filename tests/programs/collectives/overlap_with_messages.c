/* smpi: ranks 6 */
/* smpi: expect-pass */
/* Messages and blocking collectives on the same communicator do not disturb an outstanding nonblocking collective (MPI 5.0 section 6.12). */
#include "../check.h"

#define COUNT 20000

int main(int argc, char **argv)
{
    static long sum[COUNT];
    int wrong = 0, flag = 0, token = 0, maximum = 0, next;
    MPI_Request request, receive;

    check_begin(&argc, &argv);
    int right = (check_rank + 1) % check_size;
    int left = (check_rank + check_size - 1) % check_size;
    for (int i = 0; i < COUNT; i++)
        sum[i] = check_rank + i;
    MPI_Irecv(&token, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &receive);
    MPI_Iallreduce(MPI_IN_PLACE, sum, COUNT, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &request);
    /* The wildcard receive must get this message and nothing of the collectives. */
    next = 500 + check_rank;
    MPI_Send(&next, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    CHECK_INT(token, 500 + left);
    MPI_Allreduce(&check_rank, &maximum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK_INT(maximum, check_size - 1);
    MPI_Barrier(MPI_COMM_WORLD);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    for (int i = 0; i < COUNT; i++)
        wrong += sum[i] != check_size * (check_size - 1) / 2 + (long)check_size * i;
    CHECK_INT(wrong, 0);
    return check_end();
}
