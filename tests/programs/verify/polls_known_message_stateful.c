/* As polls_known_message.c, by states: a component of states in which ranks are told what they know is none that is meant to run
 * for ever. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going --stateful */
/* smpi: expect-finding non-termination */
/* smpi: expect-complete */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value, found = 0, over = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request;
        MPI_Irecv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
        while (!over) {
            MPI_Iprobe(1, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
            MPI_Test(&request, &over, MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
