/* smpi: ranks 3 */
/* smpi: expect-pass */
/* What MPI_Win_flush_all and MPI_Win_flush_local_all wait for: what was read is there, and, by the former, what was
 * written is there for others (MPI 5.0 section 12.5.4). */
#include "../check.h"

enum { RANKS = 3 };

int main(int argc, char **argv)
{
    int *memory, in[RANKS], out[RANKS], value = -1;
    MPI_Win win;

    check_begin(&argc, &argv);
    CHECK_OK(MPI_Win_allocate(RANKS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    for (int i = 0; i < RANKS; i++)
        memory[i] = 100 * check_rank + i;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Win_lock_all(0, win));
    for (int local = 0; local < 2; local++) {
        for (int rank = 0; rank < RANKS; rank++) {
            in[rank] = -1;
            CHECK_OK(MPI_Get(&in[rank], 1, MPI_INT, rank, local, 1, MPI_INT, win));
        }
        CHECK_OK(local ? MPI_Win_flush_local_all(win) : MPI_Win_flush_all(win));
        for (int rank = 0; rank < RANKS; rank++)
            CHECK_INT(in[rank], 100 * rank + local);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int rank = 0; rank < RANKS; rank++) {
        out[rank] = 1000 + 10 * check_rank + rank;
        CHECK_OK(MPI_Put(&out[rank], 1, MPI_INT, rank, check_rank, 1, MPI_INT, win));
    }
    CHECK_OK(MPI_Win_flush_all(win));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Win_sync(win));
    for (int rank = 0; rank < RANKS; rank++)
        CHECK_INT(memory[rank], 1000 + 10 * rank + check_rank);
    CHECK_OK(MPI_Fetch_and_op(NULL, &value, MPI_INT, 2, 1, MPI_NO_OP, win));
    CHECK_OK(MPI_Win_flush(2, win));
    CHECK_INT(value, 1012);
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
    return check_end();
}
