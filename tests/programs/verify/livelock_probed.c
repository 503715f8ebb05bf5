/* A server probes for any message, and takes those that it knows what to do with. One has another tag: it stays, and is seen again
 * and again. Nothing comes of that: no execution ends, and this is no program that is meant to run for ever. */
/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding livelock */
/* smpi: expect-complete */
#include <mpi.h>

enum { WORK, STOP, OTHER };

int main(int argc, char **argv) {
    int rank, size, value, left;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        MPI_Request request;
        MPI_Isend(&rank, 1, MPI_INT, 0, rank == 2 ? OTHER : WORK, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        for (left = size - 1; left > 0;) {
            MPI_Status status;
            MPI_Probe(2, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            if (status.MPI_TAG == WORK) {
                MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, WORK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                left--;
            }
        }
    }
    MPI_Finalize();
    return 0;
}
