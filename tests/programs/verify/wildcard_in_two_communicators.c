/* Wildcard receives in two communicators with the same ranks do not see each other's messages: two orders in each, and all
 * combinations, 2 * 2. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=4 infinite=4 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm copy;
    int value = rank;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0) {
        for (int i = 0; i < 4; i++)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, i < 2 ? MPI_COMM_WORLD : copy, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, 0, 0, copy);
    }
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
