/* A server that goes on for ever unless it is told to end by the right client first: with states, the decision is exact
   although executions have no end. */
/* smpi: ranks 3 */
/* smpi: verify --stateful */
/* smpi: expect-finding livelock */
/* smpi: expect-explanation inevitable since rank 0's MPI_Recv at explain_stateful.c:15 took the message that rank 2 sent at explain_stateful.c:24, and not the message that rank 1 sent at explain_stateful.c:24: the only continuation fails */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        int goes_on = status.MPI_SOURCE == 2;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
        while (goes_on) {
            MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
    } else {
        int goes_on = 1;
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        while (goes_on) {
            MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
