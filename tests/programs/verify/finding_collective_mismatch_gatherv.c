/* Gatherv: the root expects two elements of rank 1, which gives one. */
/* smpi: ranks 3 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding mpi/collective-mismatch */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out[2] = {0}, in[6], counts[3] = {1, 2, 1}, starts[3] = {0, 2, 4};
    MPI_Gatherv(out, 1, MPI_INT, in, counts, starts, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
