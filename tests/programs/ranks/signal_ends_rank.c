/* A rank that sends itself a signal for which it has no handler ends, and with it the run; the message names it. */
/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-exit 143 */
/* smpi: expect-stderr-contains rank 1: SIGTERM */
/* smpi: expect-stderr-contains in main ( */
/* smpi: compile-args -g */
#include <mpi.h>
#include <signal.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        raise(SIGTERM);
    MPI_Finalize();
    return 0;
}
