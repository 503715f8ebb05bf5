/* Scatterv: the root gives rank 2 one element, which expects two. */
/* smpi: ranks 3 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding mpi/collective-mismatch */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out[6] = {0}, in[2], counts[3] = {1, 1, 1}, starts[3] = {0, 2, 4};
    MPI_Scatterv(out, counts, starts, MPI_INT, in, rank == 2 ? 2 : 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
