/* A window that does not keep the order of one origin's atomic accesses: other orders are not tried, so the exploration is
   not complete. */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
#include <mpi.h>

#ifndef ORDERING
#define ORDERING "none"
#endif

int main(int argc, char **argv)
{
    int rank, mine = 1, two = 2;
    MPI_Info info;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ordering", ORDERING);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, info, MPI_COMM_WORLD, &window);
    MPI_Info_free(&info);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Accumulate(&two, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, window);
        MPI_Accumulate(&two, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_PROD, window);
    }
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
