/* smpi: ranks 2 */
/* smpi: compile-args --verify -g -O0 */
/* smpi: verify --keep-going */
/* smpi: expect-finding mpi/invalid/epoch */
/* smpi: expect-finding race/window */
/* smpi: expect-finding race/buffer */
/* A fence that says that no accesses precede it completes none: what is put is read, and what it is put from is written,
 * while the access is under way. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, *memory, x = 1;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    if (rank == 1)
        printf("%d\n", memory[0]);
    else
        x = 2;
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
