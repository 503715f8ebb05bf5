/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 1 */
/* Post, start, complete and wait leave nothing open, and neither do fences. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, left, right, mine[2] = {-1, -1};
    MPI_Group world, sources, targets;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    left = (rank + 2) % 3;
    right = (rank + 1) % 3;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &left, &sources);
    MPI_Group_incl(world, 1, &right, &targets);
    MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_post(sources, 0, window);
    MPI_Win_start(targets, 0, window);
    MPI_Put(&rank, 1, MPI_INT, right, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    assert(mine[0] == left);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Put(&rank, 1, MPI_INT, left, 1, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    assert(mine[1] == right);
    MPI_Group_free(&world);
    MPI_Group_free(&sources);
    MPI_Group_free(&targets);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
