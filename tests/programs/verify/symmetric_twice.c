/* A worker that comes again before another one has come at all: an order that only two of them decide, whoever they are. */
/* smpi: ranks 5 */
/* smpi: verify --symmetric 1-4 */
/* smpi: expect-finding deadlock */
/* smpi: requires smpi */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, value, last = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 2 && rank > 0; i++)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 2 * (size - 1) && rank == 0; i++) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (value == last)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        last = value;
    }
    MPI_Finalize();
}
