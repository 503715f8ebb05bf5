/* Alltoallv: rank 1 expects more from rank 2 than that gives; truncation could not tell. */
/* smpi: ranks 3 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding mpi/collective-mismatch */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int out[12] = {0}, in[12], given[3] = {1, 2, 3}, expected[3], starts[3] = {0, 4, 8};
    for (int i = 0; i < size; i++)
        expected[i] = rank + 1;
    if (rank == 1)
        expected[2] = 3; /* Rank 2 gives 2. */
    MPI_Alltoallv(out, given, starts, MPI_INT, in, expected, starts, MPI_INT, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
