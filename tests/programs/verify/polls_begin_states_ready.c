/* As polls_begin_states, in a program that sends in ready mode: whether that is early is followed by states, too. Here it is in one
 * of the last rounds, if the receiver was slow. */
/* smpi: ranks 3 */
/* smpi: compile-args -O1 */
/* smpi: verify --keep-going */
/* smpi: expect-finding mpi/ready-send */
/* smpi: expect-complete */
/* smpi: expect-stderr-contains states were recognised */
#include "parts/looks.h"

int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 6; round++)
        look_and_wait(round);
    if (rank == 0)
        MPI_Rsend(&rank, 1, MPI_INT, 1, 99, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Irecv(&value, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
