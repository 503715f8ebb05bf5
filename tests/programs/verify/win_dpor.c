/* smpi: ranks 2 */
/* smpi: verify --buffering zero --reduction dpor --keep-going */
/* smpi: expect-finding race/message */
/* smpi: expect-executions 228 */
/* smpi: expect-incomplete */
/* Who gets a lock first, step by step: what a server receives is a step of the network, too. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value, mine = 0;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    printf("%d\n", value);
    value++;
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
