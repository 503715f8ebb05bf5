/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding mpi/invalid/displacement */
/* An access behind the end of its target's memory. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int mine[4] = {0}, values[2] = {1, 2};
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(values, 2, MPI_INT, 0, 3, 2, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
