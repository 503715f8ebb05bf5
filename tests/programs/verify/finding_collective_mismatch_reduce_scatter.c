/* Reduce_scatter: the ranks cut the result differently, though their own parts are right. */
/* smpi: ranks 3 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding mpi/collective-mismatch */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out[6] = {0}, in[4], counts[3] = {1, 2, 3};
    if (rank == 0) {
        counts[1] = 3;
        counts[2] = 2;
    }
    MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
