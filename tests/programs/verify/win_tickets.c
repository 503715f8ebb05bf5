/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 6 */
/* Who gets which ticket is left open: atomic operations on the same place have an order, each of which is explored. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, one = 1, ticket = -1, mine = 0, sum = 0;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, window);
    MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, window);
    MPI_Win_unlock(0, window);
    MPI_Allreduce(&ticket, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(sum == 3);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
