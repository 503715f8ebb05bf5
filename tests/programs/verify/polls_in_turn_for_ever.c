/* Two ranks poll for several things in a loop, and none of them comes: they go on for ever. */
/* smpi: ranks 3 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding non-termination */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, found = 0, seen = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (rank < 2 && !found) {
        for (int tag = 0; tag < 3 && !found; tag++)
            MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        seen = !seen;
    }
    MPI_Finalize();
    return 0;
}
