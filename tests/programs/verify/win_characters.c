/* A sum of characters at a window. */
/* smpi: compile-args -DTYPE=MPI_CHAR */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding mpi/invalid/op */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    char mine = 0, one = 1;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&mine, 1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Accumulate(&one, 1, TYPE, 0, 0, 1, TYPE, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
