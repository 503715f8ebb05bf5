/* Open files have a state of their own: states are told apart by what led to them, and it is said why. When they are
 * closed, states have names again: in the end both orders have led to the same one. */
/* smpi: ranks 3 */
/* smpi: verify --stateful --buffering infinite */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 1 */
/* smpi: expect-stderr-contains files open */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    FILE *file = fopen(argv[0], "r");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0)
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < 3; i++)
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fclose(file);
    MPI_Finalize();
    return 0;
}
