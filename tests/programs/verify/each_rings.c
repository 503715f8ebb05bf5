/* Rings of ranks that send before they receive, two in each if the argument does not say otherwise. Each ring waits for
 * itself, and whether one of its sends is buffered is open for each ring: 2^4 executions of four of them. */
/* smpi: ranks 8 */
/* smpi: verify --buffering each --keep-going */
/* smpi: expect-finding deadlock/buffering */
/* smpi: expect-complete */
/* smpi: expect-executions 16 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    const int size = argc > 1 ? atoi(argv[1]) : 2;
    int rank, mine, left;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int first = rank / size * size;
    mine = rank;
    MPI_Send(&mine, 1, MPI_INT, first + (rank - first + 1) % size, 0, MPI_COMM_WORLD);
    MPI_Recv(&left, 1, MPI_INT, first + (rank - first + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
