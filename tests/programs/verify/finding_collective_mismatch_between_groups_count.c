/* Allgather between two groups: one side expects more of the other than that gives. */
/* smpi: ranks 4 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding mpi/collective-mismatch */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = rank < 2, x[1] = {0}, y[4];
    MPI_Comm own, between;
    MPI_Comm_split(MPI_COMM_WORLD, left, rank, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, left ? 2 : 0, 0, &between);
    MPI_Allgather(x, 1, MPI_INT, y, left ? 1 : 2, MPI_INT, between);
    MPI_Comm_free(&between);
    MPI_Comm_free(&own);
    MPI_Finalize();
    return 0;
}
