/* A rank that computes for longer than the limit may be right: the exploration is not complete, and nothing is found. */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero --call-timeout 0.3 */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: passes non-termination */
/* smpi: expect-stderr-contains rank 1 computes for more than 0.3 s */
#include <mpi.h>

static volatile unsigned long count;

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (rank == 1 && count < 5000000000ul)
        count++;
    MPI_Finalize();
    return 0;
}
