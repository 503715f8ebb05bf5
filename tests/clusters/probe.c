/* Two ranks probe for messages of all others, and take what they have found. */
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, size, got, sum = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank < 2) {
        for (int i = 0; i < 2 * (size - 2); i++) {
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum = sum * 3 + status.MPI_TAG;
        }
    } else
        for (int i = 0; i < 4; i++) MPI_Send(&rank, 1, MPI_INT, i % 2, i / 2, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum < 0;
}
