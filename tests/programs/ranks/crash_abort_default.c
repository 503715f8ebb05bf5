/* abort() ends with a message also when the program has put SIGABRT back to its default action, and when its handler for it
 * comes back. */
/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-exit 134 */
/* smpi: expect-stderr-contains rank 1: SIGABRT */
/* smpi: expect-stdout handled */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static void handle(int number) {
    puts("handled");
    signal(number, SIG_DFL);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    signal(SIGABRT, SIG_DFL);
    if (rank == 1) {
        signal(SIGABRT, handle);
        abort();
    }
    MPI_Finalize();
    return 0;
}
