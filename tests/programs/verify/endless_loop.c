/* A rank that computes for ever between two MPI calls is left after --call-timeout. */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero --call-timeout 1 */
/* smpi: expect-finding non-termination */
#include <mpi.h>

static volatile int never;

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        while (!never)
            ;
    MPI_Finalize();
    return 0;
}
