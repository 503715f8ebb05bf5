/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* Rank 0 polls for what it gets from the window of rank 1, then for a message, and reads what was put before it. */
#include <assert.h>
#include <mpi.h>

#ifdef MOST
#define GIVES_UP(polls) (++(polls) == MOST)
#else
#define GIVES_UP(polls) 0
#endif

int main(int argc, char **argv)
{
    int rank, memory = 7, value = 0, got = 0, flag = 0, polls = 0;
    MPI_Request request;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Rget(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &request);
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        for (flag = 0; !flag && !GIVES_UP(polls);)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        assert(flag && got == 7);
        MPI_Win_sync(window);
        assert(memory == 9);
    } else {
        value = 9;
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
