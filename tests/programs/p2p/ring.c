/* smpi: ranks 9 */
/* smpi: expect-pass */
/* A token goes round a ring ten times by blocking calls; every rank adds to it. */
#include "../check.h"

int main(int argc, char **argv)
{
    long token = 0;

    check_begin(&argc, &argv);
    int right = (check_rank + 1) % check_size;
    int left = (check_rank + check_size - 1) % check_size;
    for (int round = 0; round < 10; round++) {
        if (check_rank != 0)
            MPI_Recv(&token, 1, MPI_LONG, left, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        token += check_rank + 1;
        MPI_Send(&token, 1, MPI_LONG, right, round, MPI_COMM_WORLD);
        if (check_rank == 0)
            MPI_Recv(&token, 1, MPI_LONG, left, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (check_rank == 0)
        CHECK_INT(token, 10 * check_size * (check_size + 1) / 2);
    return check_end();
}
