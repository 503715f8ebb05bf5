/* The result of a get with a request is read before the request is complete. */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding race/buffer */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine = 3, got = 0;
    MPI_Win window;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Rget(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);
#ifdef WAIT_FIRST
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
        if (got == 17)
            MPI_Abort(MPI_COMM_WORLD, 1);
#ifndef WAIT_FIRST
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
