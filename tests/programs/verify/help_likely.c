/* Random executions show it in about half of all cases. After the barrier, rank 1 is the first to send in a simulation,
 * unless its messages are late. */
/* smpi: ranks 3 */
/* smpi: verify --explain-within 60 */
/* smpi: expect-finding assertion */
/* smpi: expect-help of 200 random schedules with zero buffering */
/* smpi: expect-help not in a simulation on gigabit-64.toml, but where the messages of rank 1 are late */
/* smpi: expect-help smpirun --compute=off --platform=report.platform.toml -np 3 program */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, from[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Recv(&from[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(from[0] == 1);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
