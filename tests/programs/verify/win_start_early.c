/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=2 */
/* MPI_Win_start need not wait for MPI_Win_post: rank 1 may send before rank 2 receives, and it may wait. */
#include <mpi.h>

#ifndef ACCESS
#define ACCESS
#endif
#ifndef SECOND
#define SECOND MPI_ANY_SOURCE
#endif

int main(int argc, char **argv)
{
    int rank, mine = 0, word = 0, other;
    MPI_Win window;
    MPI_Group all, partner;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    other = 3 - rank;
    if (rank == 0) {
        MPI_Send(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    } else {
        MPI_Group_incl(all, 1, &other, &partner);
        if (rank == 1) {
            MPI_Win_start(partner, 0, window);
            ACCESS;
            MPI_Send(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
            MPI_Win_complete(window);
        } else {
            MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Win_post(partner, 0, window);
            MPI_Recv(&word, 1, MPI_INT, SECOND, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Win_wait(window);
        }
        MPI_Group_free(&partner);
    }
    MPI_Group_free(&all);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
