/* A master adds up what 10 workers send, in whichever order: 3.6 million executions, of which the exploration sees 48. It begins
 * again by states then: what the master remembers is one of 1,024 sums. */
/* smpi: ranks 11 */
/* smpi: compile-args -O1 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states zero=1024 infinite=1024 */
/* smpi: expect-stderr-contains zero buffering and infinite buffering: states were recognised */
#ifndef WRONG
#define WRONG -1
#endif
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < size && rank == 0; i++) {
        int value = 0;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += value;
        assert(i != 4 || sum != WRONG);
    }
    if (rank > 0) {
        int value = 1 << (rank - 1);
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
