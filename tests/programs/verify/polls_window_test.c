/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
/* A rank that has exposed its window polls until the accesses are over: they may be at its first poll, or not. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, other, value = 7, is_over = 0, *memory;
    MPI_Group all, partner;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other, &partner);
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    *memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Win_start(partner, 0, window);
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(partner, 0, window);
        while (!is_over)
            MPI_Win_test(window, &is_over);
    }
    MPI_Win_free(&window);
    MPI_Group_free(&partner);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
