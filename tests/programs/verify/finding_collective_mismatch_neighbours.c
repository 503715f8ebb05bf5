/* Neighbor_alltoallv on a ring: rank 1 expects two elements of its left neighbour, which gives one. */
/* smpi: ranks 4 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding mpi/collective-mismatch */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int dims[1] = {size}, periods[1] = {1}, out[4] = {0}, in[4], given[2] = {1, 1}, expected[2] = {1, 1}, starts[2] = {0, 2};
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
    if (rank == 1)
        expected[0] = 2;
    MPI_Neighbor_alltoallv(out, given, starts, MPI_INT, in, expected, starts, MPI_INT, ring);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
