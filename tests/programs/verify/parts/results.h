/* A master takes a result of each worker, in any order, and answers in that order. `judge` sees who came when, and
 * `worker` is what a worker does before. */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, value = 0, from[16];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        worker(rank);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        for (int i = 1; i < size; i++)
            MPI_Recv(&from[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        judge(from, size);
        for (int i = 1; i < size; i++)
            MPI_Send(&value, 1, MPI_INT, from[i], 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
