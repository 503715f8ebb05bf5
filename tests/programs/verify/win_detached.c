/* Memory is detached from a dynamic window without knowing that the put to it is over. */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding race/window */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine = 0;
    MPI_Aint at;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Get_address(&mine, &at);
    if (rank == 0) {
        MPI_Win_attach(window, &mine, sizeof mine);
        MPI_Send(&at, 1, MPI_AINT, 1, 0, MPI_COMM_WORLD);
#ifdef ORDERED
        MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
        MPI_Barrier(MPI_COMM_WORLD);
#endif
        MPI_Win_detach(window, &mine);
    } else {
        MPI_Recv(&at, 1, MPI_AINT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, at, 1, MPI_INT, window);
#ifndef ORDERED
        MPI_Barrier(MPI_COMM_WORLD);
#endif
        MPI_Win_unlock(0, window);
#ifdef ORDERED
        MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
#endif
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
