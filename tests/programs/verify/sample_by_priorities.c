/* As deviations_last_worker.c. The error shows whenever the messages of rank 20 come first: a bug of depth 1. One random
 * execution has it with a probability of 1/20 at least, 200 with 0.99996. */
/* smpi: ranks 21 */
/* smpi: verify --sample 200 --bug-depth 1 --seed 7 */
/* smpi: expect-finding assertion */
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
            if (capacity == 0)
                capacity = result; /* "The first one has the smallest number." */
            sum += result;
        }
        assert(capacity < size - 1);
    }
    MPI_Finalize();
    return 0;
}
