/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-finding race/window */
/* Two windows on the same memory: concurrent accesses to both have no defined result (MPI 5.0 §12.2.1), even if they
 * would be atomic within one of them. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, one = 1, seen = -1, mine = 0;
    MPI_Win first, second;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &first);
    MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &second);
    MPI_Win_lock_all(0, first);
    MPI_Win_lock_all(0, second);
    if (rank == 1)
        MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, first);
    if (rank == 2)
        MPI_Fetch_and_op(&one, &seen, MPI_INT, 0, 0, MPI_SUM, second);
    MPI_Win_unlock_all(first);
    MPI_Win_unlock_all(second);
    MPI_Win_free(&first);
    MPI_Win_free(&second);
    MPI_Finalize();
    return 0;
}
