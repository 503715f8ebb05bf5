/* A rank polls for ever, and another one is done at once: if it is given its turn, which nobody promises. */
/* smpi: ranks 2 */
/* smpi: verify --unfair --ltl=F(done) --buffering zero */
/* smpi: expect-finding liveness */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    static int done;
    int rank, flag;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MC_proposition("done", &done);
        done = 1;
    }
    for (;;)
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}
