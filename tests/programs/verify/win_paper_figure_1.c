/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 2 */
/* Figure 1 of "Practical Model Checking Method for Verifying Correctness of MPI Programs" (Pervez, Gopalakrishnan, Kirby,
 * Palmer, Thakur, Gropp; EuroPVM/MPI 2007): two interleavings with reduction there, 504 without. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine = 0;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_unlock(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
