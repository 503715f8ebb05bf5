/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: expect-pass */
/* Errors of one-sided communication come to the window's error handler (MPI 5.0 §12.6), and the window can be used
 * afterwards.
 * MPICH 5 deviates: it checks no ranges, and gives MPI_ERR_ARG for lock types and assertions. */
#include "../check.h"

static int memory[10], value = 1, seen, three[3];
static MPI_Win win;

static void user(void *in, void *inout, int *len, MPI_Datatype *datatype)
{
    (void)in, (void)inout, (void)len, (void)datatype;
}

static void arguments(void)
{
    MPI_Op op;
    MPI_Datatype contiguous;

    MPI_Op_create(user, 1, &op);
    MPI_Type_contiguous(1, MPI_INT, &contiguous);
    MPI_Type_commit(&contiguous);
    MPI_Win_fence(0, win);
    CHECK_ERROR(MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Put(&value, 1, MPI_INT, -7, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    CHECK_ERROR(MPI_Put(&value, 1, MPI_INT, 1, -1, 1, MPI_INT, win), MPI_ERR_DISP);
    CHECK_ERROR(MPI_Put(&value, -1, MPI_INT, 1, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
    CHECK_ERROR(MPI_Put(&value, 1, MPI_DATATYPE_NULL, 1, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Put(&value, 1, MPI_INT, 1, 10, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CHECK_ERROR(MPI_Get(three, 3, MPI_INT, 1, 8, 3, MPI_INT, win), MPI_ERR_RMA_RANGE);
    CHECK_ERROR(MPI_Accumulate(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, op, win), MPI_ERR_OP);
    CHECK_ERROR(MPI_Accumulate(&value, 1, MPI_FLOAT, 1, 0, 1, MPI_FLOAT, MPI_BAND, win), MPI_ERR_OP);
    CHECK_ERROR(MPI_Fetch_and_op(&value, &seen, contiguous, 1, 0, MPI_SUM, win), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Compare_and_swap(&value, &value, &seen, MPI_FLOAT, 1, 0, win), MPI_ERR_TYPE);
    CHECK_ERROR(MPI_Win_fence(1 << 20, win), MPI_ERR_ASSERT);
    CHECK_OK(MPI_Put(&value, 1, MPI_INT, 1 - check_rank, 9, 1, MPI_INT, win));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK_INT(memory[9], 1);
    MPI_Type_free(&contiguous);
    MPI_Op_free(&op);
}

static void epochs(void)
{
    CHECK_ERROR(MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    CHECK_ERROR(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
    CHECK_ERROR(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
    CHECK_ERROR(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
    CHECK_ERROR(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
    CHECK_ERROR(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
    CHECK_ERROR(MPI_Win_lock(9, 0, 0, win), MPI_ERR_LOCKTYPE);
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    CHECK_ERROR(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
    CHECK_ERROR(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    CHECK_ERROR(MPI_Get(&seen, 1, MPI_INT, 1, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    CHECK_ERROR(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    CHECK_OK(MPI_Win_unlock(0, win));
}

static void windows(void)
{
    MPI_Win other = MPI_WIN_NULL;
    void *base;

    check_errors_return();
    CHECK_ERROR(MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, MPI_COMM_SELF, &other), MPI_ERR_SIZE);
    CHECK_ERROR(MPI_Win_create(memory, 8, 0, MPI_INFO_NULL, MPI_COMM_SELF, &other), MPI_ERR_DISP);
    CHECK_ERROR(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_NULL, &base, &other), MPI_ERR_COMM);
    CHECK_ERROR(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
    CHECK_ERROR(MPI_Win_free(&other), MPI_ERR_WIN);
    CHECK_ERROR(MPI_Win_attach(win, memory, 8), MPI_ERR_RMA_FLAVOR);
    CHECK_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &other));
    MPI_Win_set_errhandler(other, MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Win_attach(other, memory, 8));
    CHECK_ERROR(MPI_Win_attach(other, &memory[1], 8), MPI_ERR_RMA_ATTACH);
    MPI_Win_lock_all(0, other);
    CHECK_ERROR(MPI_Put(&value, 1, MPI_INT, 0, (MPI_Aint)&memory[2], 1, MPI_INT, other), MPI_ERR_RMA_RANGE);
    MPI_Win_unlock_all(other);
    CHECK_OK(MPI_Win_detach(other, memory));
    CHECK_OK(MPI_Win_free(&other));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    arguments();
    epochs();
    windows();
    MPI_Win_free(&win);
    return check_end();
}
