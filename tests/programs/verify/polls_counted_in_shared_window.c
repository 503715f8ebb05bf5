/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* Rank 1 polls for a message, and counts its polls in its part of a shared window, which is memory of rank 0: how often it
 * has polled is seen there, although its own memory does not tell. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0, flag = 0, *count;
    MPI_Win win;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &count, &win);
    MPI_Win_lock_all(0, win);
    *count = 0;
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        for (; !flag; ++*count)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
