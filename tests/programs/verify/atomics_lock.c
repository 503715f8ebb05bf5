/* smpi: compile-args --verify */
/* smpi: ranks 3 */
/* smpi: platform none */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* A lock made of an atomic flag guards a number that is read and written without it. */
#include <assert.h>
#include <mpi.h>
#include <stdatomic.h>

struct guarded {
    atomic_flag lock;
    int number;
};

int main(int argc, char **argv)
{
    int rank, ranks, unit;
    struct guarded *all;
    MPI_Aint size;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate_shared(rank == 0 ? sizeof *all : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &all, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &all);
    if (rank == 0) {
        atomic_flag_clear(&all->lock);
        all->number = 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    while (atomic_flag_test_and_set(&all->lock)) { }
    all->number++;
    atomic_flag_clear(&all->lock);
    MPI_Barrier(MPI_COMM_WORLD);
    assert(all->number == ranks);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
