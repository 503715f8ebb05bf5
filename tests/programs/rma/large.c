/* smpi: ranks 2 */
/* smpi: expect-pass */
/* The functions with large counts (MPI 5.0 §12.2, §12.3): the same windows and accesses. */
#include "../check.h"

int main(int argc, char **argv)
{
    long *memory, value[2] = {5, 6}, seen[2] = {0}, before[2] = {0};
    char *base;
    int other;
    MPI_Aint size, unit;
    MPI_Count count = 2;
    MPI_Request requests[4];
    MPI_Win win, shared;

    check_begin(&argc, &argv);
    other = 1 - check_rank;
    MPI_Win_allocate_c(6 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (int i = 0; i < 6; i++)
        memory[i] = i;
    MPI_Win_fence(0, win);
    MPI_Put_c(value, count, MPI_LONG, other, 0, count, MPI_LONG, win);
    MPI_Get_c(seen, count, MPI_LONG, other, 2, count, MPI_LONG, win);
    MPI_Accumulate_c(value, count, MPI_LONG, other, 4, count, MPI_LONG, MPI_SUM, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(memory[0] == 5 && memory[1] == 6 && seen[0] == 2 && seen[1] == 3 && memory[4] == 9 && memory[5] == 11);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Rput_c(value, 1, MPI_LONG, other, 2, 1, MPI_LONG, win, &requests[0]);
    MPI_Rget_c(seen, 1, MPI_LONG, other, 3, 1, MPI_LONG, win, &requests[1]);
    MPI_Raccumulate_c(value, 1, MPI_LONG, other, 0, 1, MPI_LONG, MPI_PROD, win, &requests[2]);
    MPI_Rget_accumulate_c(value, 1, MPI_LONG, before, 1, MPI_LONG, other, 4, 1, MPI_LONG, MPI_MAX, win, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Get_accumulate_c(value, 1, MPI_LONG, &before[1], 1, MPI_LONG, other, 5, 1, MPI_LONG, MPI_MIN, win);
    MPI_Win_unlock_all(win);
    CHECK(seen[0] == 3 && before[0] == 9 && before[1] == 11);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, check_rank, 0, win);
    CHECK(memory[0] == 25 && memory[2] == 5 && memory[4] == 9 && memory[5] == 5);
    MPI_Win_unlock(check_rank, win);
    MPI_Win_free(&win);
    MPI_Win_create_c(value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
    MPI_Win_allocate_shared_c(16, 8, MPI_INFO_NULL, MPI_COMM_SELF, &base, &shared);
    MPI_Win_shared_query_c(shared, 0, &size, &unit, &base);
    CHECK(size == 16 && unit == 8 && base != NULL);
    MPI_Win_free(&shared);
    return check_end();
}
