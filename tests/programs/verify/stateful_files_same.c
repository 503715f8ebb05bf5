/* A file that stays open is no reason to tell states apart: it is the same one, read up to the same place, whichever
 * message came first. So of three messages one order is followed to its end, and the others come to its states. */
/* smpi: ranks 4 */
/* smpi: verify --stateful */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 1 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank;
    FILE *file = fopen(argv[0], "r");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0)
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < 4; i++)
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    fclose(file);
    MPI_Finalize();
    return 0;
}
