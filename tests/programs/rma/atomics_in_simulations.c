/* smpi: compile-args --verify */
/* smpi: ranks 3 */
/* smpi: platform none */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* Ranks wait for a flag in memory that they share, and take a lock there, by atomic operations alone: those that find nothing
 * to do let time pass, so that others go on. */
#include "../check.h"
#include <stdatomic.h>

struct shared {
    atomic_int is_set;
    atomic_flag lock;
    int number;
};

int main(int argc, char **argv)
{
    int rank, unit;
    struct shared *shared;
    MPI_Aint size;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? sizeof *shared : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &shared);
    if (rank == 0) {
        atomic_store(&shared->is_set, 0);
        atomic_flag_clear(&shared->lock);
        shared->number = 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        atomic_store(&shared->is_set, 1);
    else
        while (!atomic_load(&shared->is_set)) { }
    for (int i = 0; i < 10; i++) {
        while (atomic_flag_test_and_set(&shared->lock)) { }
        shared->number++;
        if (rank == 0)
            MPI_Barrier(MPI_COMM_SELF);
        atomic_flag_clear(&shared->lock);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(shared->number == 30);
    MPI_Win_free(&window);
    return check_end();
}
