/* Rank 1 ends without MPI_Finalize. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/finalize-missing */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Finalize();
    return 0;
}
