/* A failure before the limit of --depth is one, and the execution was cut all the same: also where workers report it. */
/* smpi: ranks 5 */
/* smpi: verify --depth 2 --keep-going --jobs 2 --buffering infinite */
/* smpi: expect-finding assertion */
/* smpi: expect-incomplete */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        assert(rank != 4);
    }
    MPI_Finalize();
    return 0;
}
