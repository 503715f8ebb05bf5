/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Accesses that move nothing: to MPI_PROC_NULL, of no elements, of empty datatypes, wherever they go, and windows
 * without memory (MPI 5.0 §12.3, §3.10).
 * MPICH 4.0.2 deviates: it moves nothing in the second of two windows on the same memory. */
#include "../check.h"

static int value = 3, seen = 4, before = 5;
static MPI_Win win;

static void to_nobody(void)
{
    MPI_Request requests[4];

    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, win));
    CHECK_OK(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 99, 1, MPI_INT, win));
    CHECK_OK(MPI_Get(&seen, 1, MPI_INT, MPI_PROC_NULL, 99, 1, MPI_INT, win));
    CHECK_OK(MPI_Accumulate(&value, 1, MPI_INT, MPI_PROC_NULL, 99, 1, MPI_INT, MPI_SUM, win));
    CHECK_OK(MPI_Get_accumulate(&value, 1, MPI_INT, &before, 1, MPI_INT, MPI_PROC_NULL, 99, 1, MPI_INT, MPI_SUM, win));
    CHECK_OK(MPI_Fetch_and_op(&value, &before, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, win));
    CHECK_OK(MPI_Compare_and_swap(&value, &value, &before, MPI_INT, MPI_PROC_NULL, 0, win));
    CHECK_OK(MPI_Win_unlock(MPI_PROC_NULL, win));
    MPI_Win_lock_all(0, win);
    MPI_Rput(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &requests[0]);
    MPI_Rget(&seen, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &requests[1]);
    MPI_Raccumulate(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win, &requests[2]);
    MPI_Rget_accumulate(&value, 1, MPI_INT, &before, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win,
                        &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    CHECK_OK(MPI_Win_flush(MPI_PROC_NULL, win));
    CHECK_OK(MPI_Win_flush_local(MPI_PROC_NULL, win));
    MPI_Win_unlock_all(win);
    CHECK_INT(seen, 4);
    CHECK_INT(before, 5);
}

static void of_nothing(int other)
{
    MPI_Datatype empty;
    MPI_Request request;

    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
    CHECK_OK(MPI_Put(NULL, 0, MPI_INT, other, 0, 0, MPI_INT, win));
    CHECK_OK(MPI_Get(NULL, 0, MPI_INT, other, 1000, 0, MPI_INT, win));
    CHECK_OK(MPI_Put(&value, 5, empty, other, 2, 3, empty, win));
    CHECK_OK(MPI_Accumulate(NULL, 0, MPI_INT, other, 0, 0, MPI_INT, MPI_SUM, win));
    CHECK_OK(MPI_Get_accumulate(NULL, 0, MPI_INT, NULL, 0, MPI_INT, other, 0, 0, MPI_INT, MPI_SUM, win));
    CHECK_OK(MPI_Rput(NULL, 0, MPI_INT, other, 0, 0, MPI_INT, win, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(other, win);
    MPI_Type_free(&empty);
}

int main(int argc, char **argv)
{
    int memory[2] = {1, 2};

    check_begin(&argc, &argv);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    to_nobody();
    of_nothing(1 - check_rank);
    MPI_Win_free(&win);
    CHECK_INT(memory[0], 1);
    MPI_Win_create(check_rank ? memory : NULL, check_rank ? sizeof memory : 0, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (check_rank == 0)
        MPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK_INT(memory[1], check_rank ? 3 : 2);
    MPI_Win_free(&win);
    return check_end();
}
