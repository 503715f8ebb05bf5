/* Two ranks of a host store to the same place of their shared memory, and nothing orders that. */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify */
/* smpi: expect-finding race/window */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *mine;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
    if (rank == 1) {
        MPI_Aint size;
        int unit;
        MPI_Win_shared_query(window, 0, &size, &unit, &mine);
    }
#ifdef ORDERED
    if (rank == 1)
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    *mine = rank;
#ifdef ORDERED
    if (rank == 0)
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
#endif
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
