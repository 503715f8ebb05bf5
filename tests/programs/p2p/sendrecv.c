/* smpi: ranks 5 */
/* smpi: expect-pass */
/* MPI_Sendrecv shifts values round a ring without deadlock (MPI 5.0 section 3.10). */
#include "../check.h"

#define COUNT 100000

int main(int argc, char **argv)
{
    static int out[COUNT], in[COUNT];
    MPI_Status status;
    int length, small = -1;

    check_begin(&argc, &argv);
    int right = (check_rank + 1) % check_size;
    int left = (check_rank + check_size - 1) % check_size;
    for (int i = 0; i < COUNT; i++)
        out[i] = check_rank * COUNT + i;

    /* Large messages: both sides would block in a rendezvous. */
    MPI_Sendrecv(out, COUNT, MPI_INT, right, 1, in, COUNT, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
    int wrong = 0;
    for (int i = 0; i < COUNT; i++)
        wrong += in[i] != left * COUNT + i;
    CHECK_INT(wrong, 0);
    CHECK_INT(status.MPI_SOURCE, left);
    MPI_Get_count(&status, MPI_INT, &length);
    CHECK_INT(length, COUNT);

    /* Different tags and counts in both directions. */
    MPI_Sendrecv(out, 3, MPI_INT, left, check_rank, in, 10, MPI_INT, right, right, MPI_COMM_WORLD,
                 &status);
    MPI_Get_count(&status, MPI_INT, &length);
    CHECK_INT(length, 3);
    CHECK_INT(status.MPI_TAG, right);
    CHECK_INT(in[2], right * COUNT + 2);

    /* With itself. */
    MPI_Sendrecv(&check_rank, 1, MPI_INT, check_rank, 7, &small, 1, MPI_INT, check_rank, 7,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_INT(small, check_rank);

    /* The ends of an open chain use MPI_PROC_NULL. */
    small = -1;
    MPI_Sendrecv(&check_rank, 1, MPI_INT, check_rank + 1 < check_size ? right : MPI_PROC_NULL, 2,
                 &small, 1, MPI_INT, check_rank > 0 ? left : MPI_PROC_NULL, 2, MPI_COMM_WORLD, &status);
    CHECK_INT(small, check_rank > 0 ? left : -1);
    CHECK_INT(status.MPI_SOURCE, check_rank > 0 ? left : MPI_PROC_NULL);
    return check_end();
}
