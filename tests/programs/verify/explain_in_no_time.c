/* There is no time to execute anything once more: what the exploration has seen tells the decision, what is enough to fail, and a
 * right execution beside the failing one. */
/* smpi: ranks 4 */
/* smpi: compile-args -g */
/* smpi: verify --keep-going --explain-within 0.0001 */
/* smpi: expect-finding assertion */
/* smpi: expect-executions zero=6 infinite=6 */
/* smpi: expect-explanation took the message that rank 2 sent at explain_in_no_time.c:25, and not the message that rank 1 sent at */
/* smpi: expect-explanation of 2 continuations tried, none is right */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int got[4], rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            MPI_Recv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(got[1] == 1);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
