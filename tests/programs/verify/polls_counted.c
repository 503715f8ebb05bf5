/* A rank gives up after having polled so many times in vain: right, although nothing else could happen meanwhile. How it
 * goes on is not explored. */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: passes non-termination */
/* smpi: expect-stderr-contains may yet give up */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, found = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; rank == 0 && !found && i < 5000; i++)
        MPI_Iprobe(1, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
