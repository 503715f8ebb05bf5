/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-executions 6 */
/* Sums of floating-point numbers are rounded: what is left of 1 depends on the order. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    double mine = 0, terms[3] = {1, 1e16, -1e16};
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    MPI_Accumulate(&terms[rank], 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    assert(rank != 0 || mine == 0);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
