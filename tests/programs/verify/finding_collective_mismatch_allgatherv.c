/* Allgatherv: the ranks do not agree on what rank 2 contributes. */
/* smpi: ranks 3 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding mpi/collective-mismatch */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out[4] = {0}, in[12], counts[3] = {1, 2, 3}, starts[3] = {0, 4, 8};
    if (rank == 0)
        counts[2] = 4;
    MPI_Allgatherv(out, rank + 1, MPI_INT, in, counts, starts, MPI_INT, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
