/* Between two polls, a rank posts a receive that nobody sends to, and cancels it: what is cancelled has no end of numbers, so all
 * receives of that line may be. */
/* smpi: ranks 2 */
/* smpi: compile-args -O1 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states zero=3 infinite=3 */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value = 0, other, is_there = 0;
    MPI_Request awaited, unneeded;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &awaited);
        while (!is_there) {
            MPI_Irecv(&other, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &unneeded);
            MPI_Cancel(&unneeded);
            MPI_Wait(&unneeded, MPI_STATUS_IGNORE);
            MPI_Test(&awaited, &is_there, MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
