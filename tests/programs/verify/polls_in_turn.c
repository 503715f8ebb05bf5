/* Rank 0 polls for two things in turn: for a message that never comes, and for a barrier. Rank 1 looks twice for a message of
 * its own before it calls the barrier. Ranks that poll in vain are answered in turn, so the barrier is there soon,
 * because rank 1 gives up without anybody's help. How often rank 0 tests until then makes no difference. */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
/* smpi: reductions none=308 dpor=7 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, found, done = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Request barrier;
    if (rank == 0) {
        MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
        while (!done) {
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        }
    } else {
        for (int i = 0; i < 2; i++)
            MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
        MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
