/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* Operations on integers of each size, by both ranks at the same places: each has its bytes, and no others. */
#include <assert.h>
#include <mpi.h>
#include <stdatomic.h>

struct integers {
    _Atomic unsigned char one, beside;
    _Atomic unsigned short two;
    _Atomic unsigned four;
    _Atomic unsigned long eight;
};

int main(int argc, char **argv)
{
    int rank, unit;
    struct integers *all;
    unsigned long known = 1;
    MPI_Aint size;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? sizeof *all : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &all, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &all);
    if (rank == 0) {
        atomic_store(&all->one, 255);
        atomic_store(&all->beside, 3);
        atomic_store(&all->two, 1);
        atomic_store(&all->four, 0xff);
        atomic_store(&all->eight, 1ul << 63);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    atomic_fetch_add(&all->one, 2);
    atomic_fetch_sub(&all->two, 2);
    atomic_fetch_and(&all->four, rank == 0 ? 0xf0 : 0x3f);
    if (rank == 0)
        atomic_fetch_or(&all->eight, 5);
    else
        atomic_fetch_xor(&all->eight, 1ul << 63);
    MPI_Barrier(MPI_COMM_WORLD);
    assert(atomic_load(&all->one) == 3 && atomic_load(&all->beside) == 3);
    assert(atomic_load(&all->two) == 65533);
    assert(atomic_load(&all->four) == 0x30);
    assert(atomic_load(&all->eight) == 5);
    assert(!atomic_compare_exchange_strong(&all->eight, &known, 7) && known == 5);
    assert(atomic_load(&all->eight) == 5);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
