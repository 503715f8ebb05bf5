/* smpi: ranks 4 */
/* smpi: expect-pass */
/* MPI_Win_post, start, complete, wait and test with groups (MPI 5.0 §12.5.2): only those that are named take part. */
#include "../check.h"

static int memory[16];
static MPI_Win win;

static MPI_Group group_of(int count, const int *ranks)
{
    MPI_Group all, some;

    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, count, ranks, &some);
    MPI_Group_free(&all);
    return some;
}

/* Each rank puts to its right neighbour; who waits polls. */
static void ring(int assert)
{
    int left = (check_rank + check_size - 1) % check_size, right = (check_rank + 1) % check_size;
    int base = assert ? 200 : 100, value = base + check_rank, flag = 0;
    MPI_Group origins = group_of(1, &left), targets = group_of(1, &right);

    if (!(assert & MPI_MODE_NOSTORE))
        memory[0] = -1;
    MPI_Win_post(origins, assert, win);
    if (assert & MPI_MODE_NOCHECK)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_start(targets, assert & MPI_MODE_NOCHECK, win);
    MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    while (!flag)
        MPI_Win_test(win, &flag);
    CHECK_INT(memory[0], base + left);
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
}

/* Rank 0 gathers what the others add; the groups differ. */
static void star(void)
{
    int zero = 0, others[3] = {1, 2, 3}, value = check_rank, big[8] = {0};

    memset(memory, 0, sizeof memory);
    if (check_rank == 0) {
        MPI_Group origins = group_of(3, others);
        MPI_Win_post(origins, 0, win);
        MPI_Win_wait(win);
        CHECK_INT(memory[1], 6);
        MPI_Win_post(origins, MPI_MODE_NOPUT | MPI_MODE_NOSTORE, win);
        MPI_Win_wait(win);
        MPI_Group_free(&origins);
    } else {
        MPI_Group targets = group_of(1, &zero);
        MPI_Win_start(targets, 0, win);
        MPI_Accumulate(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_complete(win);
        MPI_Win_start(targets, 0, win);
        MPI_Get(big, 8, MPI_INT, 0, 0, 8, MPI_INT, win);
        MPI_Win_complete(win);
        CHECK_INT(big[1], 6);
        MPI_Group_free(&targets);
    }
}

/* A rank may expose its memory to itself, and groups may be empty. */
static void alone(void)
{
    int value = 5;
    MPI_Group self = group_of(1, &check_rank);

    MPI_Win_post(self, 0, win);
    MPI_Win_start(self, 0, win);
    MPI_Put(&value, 1, MPI_INT, check_rank, 3, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    CHECK_INT(memory[3], 5);
    MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
    MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Group_free(&self);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    ring(0);
    ring(MPI_MODE_NOCHECK | MPI_MODE_NOSTORE);
    MPI_Barrier(MPI_COMM_WORLD);
    star();
    MPI_Barrier(MPI_COMM_WORLD);
    alone();
    MPI_Win_free(&win);
    return check_end();
}
