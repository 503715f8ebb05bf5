/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-stderr-contains rank 0: its window at byte 4 was accessed by rank 1 */
/* smpi: expect-executions 4 */
/* Data and then a flag, both written atomically and at one target: accesses to different places may overtake each other
 * (MPI 5.0 12.7.2), so that who sees the flag need not see the data. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine[2] = {0, 0}, one = 1, flag, data;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, window);
#ifdef FLUSH
        MPI_Win_flush(0, window);
#endif
        MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_REPLACE, window);
    } else if (rank == 2) {
        MPI_Fetch_and_op(NULL, &flag, MPI_INT, 0, 1, MPI_NO_OP, window);
        MPI_Win_flush(0, window);
        MPI_Fetch_and_op(NULL, &data, MPI_INT, 0, 0, MPI_NO_OP, window);
        MPI_Win_flush(0, window);
        assert(!flag || data);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
