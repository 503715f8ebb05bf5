/* smpi: ranks 2 */
/* smpi: expect-pass */
/* smpi: expect-stderr-contains MPI_SUM is not defined for */
/* smpi: verified mpi/invalid/op */
/* Accumulating MPI_CHAR: MPI defines it for MPI_REPLACE and MPI_NO_OP only (MPI 5.0 §12.3.4, §6.9.2), MPI libraries take
 * characters as numbers. So a simulation warns, and goes on. */
#include "../check.h"

int main(int argc, char **argv)
{
    char mine = 40, two = 2, old = 0;
    MPI_Win win;

    check_begin(&argc, &argv);
    MPI_Win_create(&mine, 1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (check_rank == 1) {
        MPI_Accumulate(&two, 1, MPI_CHAR, 0, 0, 1, MPI_CHAR, MPI_SUM, win);
        MPI_Fetch_and_op(&two, &old, MPI_CHAR, 0, 0, MPI_REPLACE, win);
    }
    MPI_Win_fence(0, win);
    if (check_rank == 1)
        CHECK(old == 42);
    if (check_rank == 0)
        CHECK(mine == 2);
    MPI_Win_fence(0, win);
    if (check_rank == 1)
        MPI_Compare_and_swap(&mine, &two, &old, MPI_CHAR, 0, 0, win);
    MPI_Win_fence(0, win);
    if (check_rank == 1)
        CHECK(old == 2);
    if (check_rank == 0)
        CHECK(mine == 40);
    MPI_Win_free(&win);
    return check_end();
}
