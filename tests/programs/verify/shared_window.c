/* Memory of a shared window comes back with the state, whoever has changed it: what was stored in one execution is not
 * there in the next one, also when the window was freed in between. */
/* smpi: ranks 3 */
/* smpi: platform none */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=4 infinite=4 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, unit, *counter, stored, received = 0;
    MPI_Aint size;
    MPI_Win win;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 1 ? sizeof(int) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
    MPI_Win_shared_query(win, 1, &size, &unit, &counter);
    MPI_Win_fence(0, win);
    for (int round = 0; round < 2; round++) {
        /* The first one need not wait for all ranks, as it ends no epoch. */
        MPI_Win_fence(0, win);
        stored = *counter;
        assert(stored == 3 * round);
        if (rank == 0) {
            for (int i = 0; i < 2; i++) {
                int from;
                MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                received += from;
            }
        } else {
            MPI_Send(&rank, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
        }
        for (int turn = 0; turn < 3; turn++) {
            MPI_Win_fence(0, win);
            if (turn == rank) {
                ++*counter;
            }
        }
    }
    MPI_Win_fence(0, win);
    stored = *counter;
    assert(stored == 6 && (rank > 0 || received == 6));
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
