/* The result of a get lies in memory that another rank puts to. */
/* smpi: compile-args -DELEMENT=0 */
/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-finding race/window */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine[3] = {0, 1, 2};
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(mine, sizeof mine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Get(&mine[0], 1, MPI_INT, 1, 2, 1, MPI_INT, window);
    if (rank == 2)
        MPI_Put(&rank, 1, MPI_INT, 0, ELEMENT, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
