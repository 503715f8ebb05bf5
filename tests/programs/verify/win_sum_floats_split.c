/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains not everything can be explored: atomic accesses to */
/* Each element of an accumulating access is atomic for itself, and sums of floating-point numbers are rounded: the ranks
 * may come in another order at the second element than at the first. The verdict says that this is not explored. */
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
