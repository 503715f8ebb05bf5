/* smpi: ranks 3 */
/* smpi: expect-pass */
/* Fetch_and_op, Compare_and_swap and Get_accumulate are atomic (MPI 5.0 §12.3.4, §12.7.1): tickets are given once,
 * additions by swapping lose nothing, and each value that is swapped in is swapped out once. */
#include "../check.h"

static MPI_Win win;

static void tickets(void)
{
    int one = 1, ticket = -1, got[3];

    MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
    MPI_Allgather(&ticket, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
    for (int number = 0; number < 3; number++)
        CHECK((got[0] == number) + (got[1] == number) + (got[2] == number) == 1);
}

static void additions(void)
{
    int expected = 0, found, sum, tries = 0;

    for (;;) {
        int wanted = expected + check_rank + 1;
        MPI_Compare_and_swap(&wanted, &expected, &found, MPI_INT, 1, 1, win);
        MPI_Win_flush(1, win);
        if (found == expected)
            break;
        expected = found;
        tries++;
    }
    CHECK(tries < 3);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Fetch_and_op(NULL, &sum, MPI_INT, 1, 1, MPI_NO_OP, win);
    MPI_Win_flush(1, win);
    CHECK_INT(sum, 6);
}

static void swaps(void)
{
    int mine[2] = {check_rank + 1, check_rank + 11}, before[2], all[6], last[2], sum = 0;

    MPI_Get_accumulate(mine, 2, MPI_INT, before, 2, MPI_INT, 2, 2, 2, MPI_INT, MPI_REPLACE, win);
    MPI_Win_flush(2, win);
    MPI_Allgather(before, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Get_accumulate(NULL, 0, MPI_INT, last, 2, MPI_INT, 2, 2, 2, MPI_INT, MPI_NO_OP, win);
    MPI_Win_flush(2, win);
    for (int i = 0; i < 6; i++)
        sum += all[i];
    CHECK_INT(sum + last[0] + last[1], 1 + 2 + 3 + 11 + 12 + 13);
}

int main(int argc, char **argv)
{
    int *memory;

    check_begin(&argc, &argv);
    MPI_Win_allocate(8 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memset(memory, 0, 8 * sizeof *memory);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    tickets();
    additions();
    swaps();
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return check_end();
}
