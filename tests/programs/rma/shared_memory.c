/* smpi: ranks 4 */
/* smpi: platform none */
/* smpi: expect-pass */
/* MPI_Win_allocate_shared (MPI 5.0 §12.2.3): the parts are one block of memory unless they may lie apart; loads,
 * stores and accesses see the same bytes. */
#include "../check.h"

static void block(MPI_Comm comm)
{
    int *base, *first, rank, size, unit, sum = 0, seen = 0, one = 1;
    MPI_Aint bytes;
    MPI_Win win;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Win_allocate_shared((rank + 1) * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &base, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
    CHECK(base == first + rank * (rank + 1) / 2);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int i = 0; i <= rank; i++)
        base[i] = rank + 1;
    MPI_Win_sync(win);
    MPI_Barrier(comm);
    MPI_Win_sync(win);
    for (int i = 0; i < size * (size + 1) / 2; i++)
        sum += first[i];
    CHECK_INT(sum, size * (size + 1) * (2 * size + 1) / 6);
    MPI_Get(&seen, 1, MPI_INT, size - 1, size - 1, 1, MPI_INT, win);
    MPI_Win_flush(size - 1, win);
    CHECK_INT(seen, size);
    MPI_Win_sync(win);
    MPI_Barrier(comm);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(0, win);
    MPI_Win_sync(win);
    MPI_Barrier(comm);
    MPI_Win_sync(win);
    CHECK_INT(first[0], 1 + size);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Comm host, half;

    check_begin(&argc, &argv);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    block(host);
    MPI_Comm_split(host, check_rank % 2, -check_rank, &half);
    block(half);
    MPI_Comm_free(&half);
    MPI_Comm_free(&host);
    return check_end();
}
