/* smpi: ranks 4 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 1 */
/* Each rank locks and counts in the memory of its neighbour, where nobody else does: what one rank asks for has an
 * order. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, one = 1, mine[2] = {0};
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int round = 0; round < 3; round++) {
        int there = -1, ticket = -1, right = (rank + 1) % 4;

        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
        MPI_Get(&there, 1, MPI_INT, right, 0, 1, MPI_INT, window);
        MPI_Fetch_and_op(&one, &ticket, MPI_INT, right, 1, round == 1 ? MPI_NO_OP : MPI_SUM, window);
        MPI_Win_flush(right, window);
        assert(there == round && ticket == (round > 0));
        there++;
        MPI_Put(&there, 1, MPI_INT, right, 0, 1, MPI_INT, window);
        MPI_Win_unlock(right, window);
    }
    MPI_Win_free(&window);
    assert(mine[0] == 3 && mine[1] == 2);
    MPI_Finalize();
    return 0;
}
