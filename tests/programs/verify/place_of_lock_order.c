/* What is printed depends on who gets a lock first: the finding names the call that got it, with its line. */
/* smpi: ranks 3 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding race/message */
/* smpi: expect-stderr-contains MPI_Win_lock at place_of_lock_order.c:22 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, *memory, last = 0;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
    *memory = 0;
    MPI_Win_unlock(rank, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0) {
        int old;
        /* Not MPI_Fetch_and_op: the lock decides. */
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Get(&old, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
        last = old;
    }
    printf("%d\n", last);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
