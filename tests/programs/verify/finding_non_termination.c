/* A rank polls for a message that nobody sends. */
/* smpi: ranks 2 */
/* smpi: expect-finding non-termination */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int found = 0;
        while (!found)
            MPI_Iprobe(1, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
