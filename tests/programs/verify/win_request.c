/* A put with a request between two fences: such accesses are for locked targets. */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding mpi/invalid/epoch */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine = 0;
    MPI_Win window;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
#ifdef LOCKED
    MPI_Win_lock_all(0, window);
#else
    MPI_Win_fence(0, window);
#endif
    if (rank == 0) {
        MPI_Rput(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
#ifdef LOCKED
    MPI_Win_unlock_all(window);
#else
    MPI_Win_fence(0, window);
#endif
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
