/* smpi: ranks 4 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 1 */
/* Shared locks exclude nobody, and sums of integers are the same in every order: nothing is left open. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, one = 1, sum = 0, mine[5] = {0};
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    MPI_Put(&rank, 1, MPI_INT, 0, rank, 1, MPI_INT, window);
    for (int target = 0; target < 4; target++)
        MPI_Accumulate(&one, 1, MPI_INT, target, 4, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_flush_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Get(&sum, 1, MPI_INT, (rank + 1) % 4, 4, 1, MPI_INT, window);
    MPI_Win_unlock_all(window);
    assert(sum == 4);
    MPI_Win_free(&window);
    assert(mine[4] == 4 && mine[3] == (rank == 0 ? 3 : 0));
    MPI_Finalize();
    return 0;
}
