/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding race/window */
/* smpi: expect-executions 1 */
/* Integers of which one begins in the middle of the other: accesses are atomic for elements, not for halves of them, so
 * that a carry may be lost. */
#include <assert.h>
#include <mpi.h>
#include <stdint.h>

int main(int argc, char **argv)
{
    int rank;
    uint32_t mine[3] = {0, 0, 0};
    uint64_t term;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    term = rank == 0 ? (uint64_t)0xffffffff << 32 : 1;
    MPI_Accumulate(&term, 1, MPI_UINT64_T, 0, rank, 1, MPI_UINT64_T, MPI_SUM, window);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    assert(rank != 0 || mine[2] == 1);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
