/* Four groups of three ranks that never hear of each other. A state of one group is a state of the program for each
 * state of the groups before it that is an end: 4 for the first group, 6, 12 and 24 for the others. All states of all
 * groups together would be 4 to the fourth power. */
/* smpi: ranks 12 */
/* smpi: verify --stateful */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states zero=46 infinite=46 */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, values[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank % 3)
        MPI_Send(&rank, 1, MPI_INT, rank / 3 * 3, 0, MPI_COMM_WORLD);
    else
        for (int i = 0; i < 2; i++)
            MPI_Recv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
