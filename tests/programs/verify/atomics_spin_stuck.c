/* smpi: compile-args --verify */
/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify */
/* smpi: expect-finding non-termination */
/* Both ranks wait for the other one's flag in memory that they share, before either sets its own: for ever. */
#include <mpi.h>
#include <stdatomic.h>

int main(int argc, char **argv)
{
    int rank, unit;
    atomic_flag *flags;
    MPI_Aint size;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? 2 * sizeof *flags : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &flags, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &flags);
    if (rank == 0) {
        atomic_flag_test_and_set(&flags[0]);
        atomic_flag_test_and_set(&flags[1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    while (atomic_flag_test_and_set(&flags[1 - rank])) { }
    atomic_flag_clear(&flags[rank]);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
