/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding mpi/invalid/epoch */
/* An access without an epoch. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine = 0, value = 1;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 0)
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
