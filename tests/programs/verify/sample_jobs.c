/* As sample_last_worker.c without the mistake, by two processes: nothing is found, and nobody says that this is all. */
/* smpi: ranks 21 */
/* smpi: verify --sample 200 --jobs 2 */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        int sum = 0, capacity = 0;
        for (int i = 1; i < size; i++) {
            int result;
            MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (capacity == 0 || result < capacity)
                capacity = result;
            sum += result;
        }
        assert(capacity < size - 1);
    }
    MPI_Finalize();
    return 0;
}
