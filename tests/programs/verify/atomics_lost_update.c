/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify */
/* smpi: expect-finding assertion */
/* Two ranks add one to a number in memory that they share, by an atomic load and an atomic store: one may be lost. */
#include <assert.h>
#include <mpi.h>
#include <stdatomic.h>

#ifndef ADD
#define ADD atomic_store(number, atomic_load(number) + 1)
#endif

int main(int argc, char **argv)
{
    int rank, unit;
    atomic_int *number;
    MPI_Aint size;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? sizeof *number : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &number, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &number);
    if (rank == 0)
        atomic_store(number, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    ADD;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        assert(atomic_load(number) == 2);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
