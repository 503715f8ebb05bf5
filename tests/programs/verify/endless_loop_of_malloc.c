/* A rank that is nearly always inside a function of ours when the limit is over is left where it is in its own code. */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero --call-timeout 0.3 */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: passes non-termination */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (rank == 1) {
        void *volatile block = calloc(1, 10000);
        free(block);
    }
    MPI_Finalize();
    return 0;
}
