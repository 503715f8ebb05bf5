/* A rank frees memory of a window, and another one puts there afterwards: that it was told so makes no difference. */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding race/window */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, *mine = malloc(100 * sizeof *mine);
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(mine, 100 * sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
#ifndef FREED_LATER
    if (rank == 0)
        free(mine);
#endif
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, 50, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
#ifdef FREED_LATER
    free(mine);
    /* Others may use the memory for what they want, another window for example. */
    mine = malloc(100 * sizeof *mine);
    MPI_Win_create(mine, 100 * sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 1)
        MPI_Put(&rank, 1, MPI_INT, 0, 50, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    free(mine);
#else
    if (rank == 1)
        free(mine);
#endif
    MPI_Finalize();
    return 0;
}
