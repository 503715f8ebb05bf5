/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Atomic accesses of one origin to the same element take place in the order in which they were started, also when a
 * short one follows a long one that takes longer to arrive (MPI 5.0 §12.7.2). */
#include "../check.h"

#define COUNT 100000

static long memory[COUNT], brought[COUNT], before[COUNT];

int main(int argc, char **argv)
{
    long two = 2, three[2] = {3, 3}, expected = 2, four = 4, seen = 0, last = 0;
    MPI_Win win;

    check_begin(&argc, &argv);
    for (int i = 0; i < COUNT; i++)
        brought[i] = 1;
    MPI_Win_create(memory, sizeof memory, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (check_rank == 0) {
        MPI_Get_accumulate(brought, COUNT, MPI_LONG, before, COUNT, MPI_LONG, 1, 0, COUNT, MPI_LONG, MPI_REPLACE, win);
        MPI_Accumulate(&two, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_REPLACE, win);
        MPI_Accumulate(three, 2, MPI_LONG, 1, 1, 2, MPI_LONG, MPI_SUM, win);
        MPI_Compare_and_swap(&four, &expected, &seen, MPI_LONG, 1, 0, win);
        MPI_Fetch_and_op(NULL, &last, MPI_LONG, 1, 0, MPI_NO_OP, win);
    }
    MPI_Win_fence(0, win);
    if (check_rank == 0) {
        CHECK_INT(before[0], 0);
        CHECK_INT(before[1], 0);
        CHECK_INT(seen, 2);
        CHECK_INT(last, 4);
    } else {
        CHECK_INT(memory[0], 4);
        CHECK_INT(memory[1], 4);
        CHECK_INT(memory[2], 4);
        CHECK_INT(memory[3], 1);
        CHECK_INT(memory[COUNT - 1], 1);
    }
    MPI_Win_free(&win);
    return check_end();
}
