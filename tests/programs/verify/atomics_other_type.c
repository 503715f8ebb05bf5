/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains not of one type */
/* One rank changes all bytes of an integer atomically, the other one its upper half: nothing decides about both. */
#include <mpi.h>
#include <stdatomic.h>

int main(int argc, char **argv)
{
    int rank, unit;
    _Atomic unsigned long *whole;
    MPI_Aint size;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? sizeof *whole : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &whole, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &whole);
    if (rank == 0)
        atomic_fetch_add(whole, 1);
    else
        atomic_fetch_add((_Atomic unsigned *)whole + 1, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
