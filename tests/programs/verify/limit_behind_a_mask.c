/* A rank that has blocked all signals, and computes for ever, is left at the limit like any other. */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero --call-timeout 0.3 --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: passes non-termination */
/* smpi: expect-stderr-contains rank 0 computes for more than 0.3 s */
/* smpi: expect-stderr-contains rank 1 computes for more than 0.3 s */
#include <mpi.h>
#include <signal.h>

static volatile unsigned long count;

int main(int argc, char **argv) {
    sigset_t all;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    if (rank == 0)
        while (count < 50000000000ul)
            count++;
    else
        while (count < 50000000000ul)
            count++;
    MPI_Finalize();
    return 0;
}
