/* A rank that waits by sleeping for what cannot happen: the sleeps take no time, what is between them does. */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero --call-timeout 0.3 */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: passes non-termination */
#include <mpi.h>
#include <unistd.h>

static volatile int never;

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (rank == 1 && !never)
        usleep(1);
    MPI_Finalize();
    return 0;
}
