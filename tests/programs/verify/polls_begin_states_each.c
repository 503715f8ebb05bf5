/* As polls_begin_states with each send buffered or not, and with all findings wanted: one rank sends what it must not. */
/* smpi: ranks 3 */
/* smpi: compile-args -O1 */
/* smpi: verify --buffering each --keep-going */
/* smpi: expect-finding mpi/pending-at-finalize */
/* smpi: expect-finding deadlock/buffering */
/* smpi: expect-complete */
/* smpi: expect-stderr-contains with each send buffered or not */
/* smpi: expect-stderr-contains states were recognised */
#include "parts/looks.h"

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 5; round++)
        look_and_wait(round);
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 77, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
