/* abort() is a crash, not an assertion. */
/* smpi: ranks 2 */
/* smpi: expect-finding crash */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        abort();
    MPI_Finalize();
    return 0;
}
