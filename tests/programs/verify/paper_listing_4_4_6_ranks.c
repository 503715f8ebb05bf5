/* Listing 4.4 of "SimGrid MC": groups of three with one receiver each. Two orders in each of 2 groups, and every
 * combination of them is another outcome: 2^2 = 4 executions. */
/* smpi: ranks 6 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=4 infinite=4 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int value = rank;
    if (rank % 3 == 0) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, rank / 3 * 3, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
