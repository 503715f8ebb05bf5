/* Alltoallw: rank 0 gives rank 1 floats, which expects ints. */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding mpi/collective-mismatch */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out[4] = {0}, in[4], counts[2] = {1, 1}, starts[2] = {0, 8};
    MPI_Datatype given[2] = {MPI_INT, rank == 0 ? MPI_FLOAT : MPI_INT}, expected[2] = {MPI_INT, MPI_INT};
    MPI_Alltoallw(out, counts, starts, given, in, counts, starts, expected, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
