/* Two ranks add to a place of their shared memory by C's atomic operations; after that, one of them reads it as if it
   were alone. */
/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify */
/* smpi: expect-finding race/window */
#include <mpi.h>
#include <stdatomic.h>

int main(int argc, char **argv)
{
    int rank;
    atomic_int *sum;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? sizeof *sum : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &sum, &window);
    if (rank == 1) {
        MPI_Aint size;
        int unit;
        MPI_Win_shared_query(window, 0, &size, &unit, &sum);
    }
    atomic_fetch_add(sum, 1);
#ifdef ORDERED
    MPI_Barrier(MPI_COMM_WORLD);
#endif
    if (rank == 0 && *(int *)sum > 2)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
