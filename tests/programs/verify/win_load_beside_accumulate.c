/* Rank 1 looks once at its own memory of a window by an atomic load, while rank 0 changes it: valid in the unified
   memory model (MPI 5.0 §12.7). It sees it or not. */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include <mpi.h>
#include <stdatomic.h>

#ifndef LOOK
#define LOOK atomic_load((_Atomic int *)memory)
#endif
#ifndef TYPE
#define TYPE MPI_INT, 1, 0, 1, MPI_INT
#endif
#ifndef UPDATE
#define UPDATE MPI_Accumulate(&one, 1, TYPE, MPI_REPLACE, window)
#endif

int main(int argc, char **argv)
{
    int rank, one = 1, *memory;
    volatile int seen = 0;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    *memory = 0;
    MPI_Win_lock_all(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        UPDATE;
        MPI_Win_flush(1, window);
    } else {
        seen = LOOK;
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return seen > 1;
}
