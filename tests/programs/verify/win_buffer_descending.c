/* A rank puts where another one has a receive pending: into blocks of a type that come in descending order. */
/* smpi: compile-args -DELEMENT=0 */
/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-finding race/window */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine[3] = {0, 0, 0}, places[] = {2, 0};
    MPI_Datatype descending;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &descending);
    MPI_Type_commit(&descending);
    MPI_Win_create(mine, sizeof mine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 0)
        MPI_Recv(mine, 1, descending, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Send(mine, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, ELEMENT, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
    MPI_Type_free(&descending);
    MPI_Finalize();
    return 0;
}
