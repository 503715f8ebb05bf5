/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
/* Ranks 1 and 2 put into rank 0, whose epochs begin when it has heard from both in any order, and nothing else is done between
 * an access and MPI_Win_complete: whichever of the two waits is the same. What they store before they put is no race with it. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine[4] = {0, 0, 0, 0}, from[2], values[2];
    MPI_Win window;
    MPI_Group all, others;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Recv(&from[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mine[0] = 5;
        MPI_Group_incl(all, 2, from, &others);
        MPI_Win_post(others, 0, window);
        MPI_Win_wait(window);
        assert(mine[0] == 5 && mine[1] == 1 && mine[2] == 2 && mine[3] == 0);
    } else {
        int root = 0;
        MPI_Group_incl(all, 1, &root, &others);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Win_start(others, 0, window);
        values[0] = rank;
        MPI_Put(values, 1, MPI_INT, 0, rank, 1, MPI_INT, window);
        MPI_Get(values + 1, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
        assert(values[1] == 5);
    }
    MPI_Group_free(&others);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
