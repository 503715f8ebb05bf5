/* A rank looks for a message once, and then polls for another one that never comes. That the look is ever longer ago tells no states
 * apart: the rank is known to poll for ever as soon as it has come back. */
/* smpi: ranks 2 */
/* smpi: compile-args -O1 */
/* smpi: verify --stateful --keep-going */
/* smpi: expect-finding non-termination */
/* smpi: expect-complete */
/* smpi: expect-states zero=4 infinite=4 */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, found, value = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Test(&request, &found, MPI_STATUS_IGNORE);
        MPI_Iprobe(0, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        for (found = 0; !found;)
            MPI_Test(&request, &found, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
