/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 36 */
/* Each element of an accumulating access is atomic for itself, and sums of floating-point numbers are rounded: the ranks
 * come in any of 6 orders at the first element, and in any of 6 at the second. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    double mine[2] = {0}, terms[3] = {1, 1e16, -1e16}, both[2];
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    both[0] = both[1] = terms[rank];
    MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    MPI_Accumulate(both, 2, MPI_DOUBLE, 0, 0, 2, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
