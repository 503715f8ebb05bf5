/* smpi: ranks 2 */
/* smpi: expect-pass */
/* Windows of more than 2^32 bytes of which little is used: sizes, displacements, and accesses whose parts are that far
 * apart (MPI 5.0 section 12). */
#include "large.h"

int main(int argc, char **argv)
{
    MPI_Aint size = (MPI_Aint)(3 * BEYOND), *found_size, far;
    MPI_Count places[2] = {0, 2 * BEYOND}, one[1] = {0};
    MPI_Datatype apart, near;
    MPI_Request request;
    MPI_Win win;
    char *memory;
    int flag = 0, out[2] = {40, 50}, in[2] = {-1, -1}, result = -1, add = 6;

    check_begin(&argc, &argv);
    memory = large_sparse(size);
    CHECK_OK(MPI_Win_create_c(memory, size, 2, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &found_size, &flag));
    CHECK(flag && *found_size == size);
    CHECK_OK(MPI_Type_create_hindexed_block_c(2, 1, places, MPI_INT, &apart));
    CHECK_OK(MPI_Type_create_hindexed_block_c(1, 1, one, MPI_INT, &near));
    CHECK_OK(MPI_Type_commit(&apart));
    CHECK_OK(MPI_Type_commit(&near));
    /* In units of two bytes, from the first quarter of the window to its last. */
    far = (MPI_Aint)(BEYOND / 4);
    out[0] += check_rank;
    MPI_Win_fence(0, win);
    CHECK_OK(MPI_Put_c(out, 2, MPI_INT, 1 - check_rank, far, 1, apart, win));
    MPI_Win_fence(0, win);
    CHECK(*(int *)(memory + 2 * far) == 41 - check_rank && *(int *)(memory + 2 * far + 2 * BEYOND) == 50);
    CHECK_OK(MPI_Get_c(in, 2, MPI_INT, 1 - check_rank, far, 1, apart, win));
    MPI_Win_fence(0, win);
    CHECK(in[0] == 40 + check_rank && in[1] == 50);
    far = (MPI_Aint)(5 * BEYOND / 4);
    CHECK_OK(MPI_Accumulate_c(&add, 1, MPI_INT, 1 - check_rank, far, 1, near, MPI_SUM, win));
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK_INT(*(int *)(memory + 2 * far), 56);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - check_rank, 0, win);
    CHECK_OK(MPI_Get_accumulate_c(&add, 1, MPI_INT, &result, 1, MPI_INT, 1 - check_rank, far, 1, MPI_INT, MPI_SUM, win));
    MPI_Win_flush(1 - check_rank, win);
    CHECK_INT(result, 56);
    CHECK_OK(MPI_Rget_c(in, 1, MPI_INT, 1 - check_rank, far, 1, MPI_INT, win, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(in[0], 62);
    MPI_Win_unlock(1 - check_rank, win);
    MPI_Type_free(&apart);
    MPI_Type_free(&near);
    CHECK_OK(MPI_Win_free(&win));
    large_unmap(memory, size);
    return check_end();
}
