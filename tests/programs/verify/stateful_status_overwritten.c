/* The master's status still has the last worker when the next message is received, which overwrites it: the states are the sums, as
 * in receives_begin_states. */
/* smpi: ranks 7 */
/* smpi: compile-args -O1 */
/* smpi: verify --stateful */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states zero=64 infinite=64 */
#ifndef AFTER
#define AFTER
#endif
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Status status;
    int rank, size, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    status.MPI_ERROR = 0;
    for (int i = 1; i < size && rank == 0; i++) {
        int value = 0;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        sum += value;
        AFTER;
    }
    if (rank > 0) {
        int value = 1 << (rank - 1);
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
