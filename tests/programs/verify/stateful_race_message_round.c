/* How often something is printed before the program ends depends on messages: the state before is the one after, and from
 * there it can end. */
/* smpi: ranks 3 */
/* smpi: verify --stateful --keep-going */
/* smpi: expect-finding race/message */
/* smpi: expect-complete */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, goes_on = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (rank == 0 && goes_on) {
        MPI_Status status;
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        goes_on = status.MPI_SOURCE == 1;
        if (goes_on) {
            printf("again\n");
            MPI_Send(&goes_on, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        }
        status = (MPI_Status){0};
    }
    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&goes_on, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    }
    while (rank == 1 && goes_on)
        MPI_Sendrecv(NULL, 0, MPI_INT, 0, 0, &goes_on, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
