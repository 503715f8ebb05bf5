/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-executions 6 */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains not everything can be explored: atomic accesses to */
/* The ranks may come in another order at each of a hundred elements. More than can be tried: one order is tried for all
 * of them at once, and the verdict says so. */
#include <mpi.h>
#define ELEMENTS 100

int main(int argc, char **argv)
{
    int rank;
    double mine[ELEMENTS] = {0}, terms[3] = {1, 1e16, -1e16}, all[ELEMENTS];
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < ELEMENTS; i++)
        all[i] = terms[rank];
    MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    MPI_Accumulate(all, ELEMENTS, MPI_DOUBLE, 0, 0, ELEMENTS, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
