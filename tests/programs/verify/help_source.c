/* Rank 1 is meant to be first. With the sources named that a right execution has, nothing fails. */
/* smpi: ranks 3 */
/* smpi: verify --explain-within 60 */
/* smpi: expect-finding assertion */
/* smpi: expect-help would help: with the sources named at help_source.c:13 (rank 0: 1, 2): no error in 2 executions; complete */
#include <assert.h>
#include <mpi.h>

/* The compiler may write the loop out: all calls of a line are meant. */
static int first_of_two(void) {
    int from[2];
    for (int i = 0; i < 2; i++)
        MPI_Recv(&from[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return from[0];
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        assert(first_of_two() == 1);
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
