/* Who sends to whom is found out by a nonblocking consensus, with two messages for each. What each rank hears is the order of these
 * two and of the end of its own sends, and executions are the combinations of that. That a variable still has the last answer of
 * another poll makes no further ones: nobody looks at it again. */
/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=98 infinite=98 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, received = 0, done = 0, is_in_barrier = 0, values[2], found, over;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Request sent[2], barrier;
    MPI_Status status;
    for (int i = 0; i < 2; i++)
        MPI_Issend(&rank, 1, MPI_INT, (rank + 1 + i) % size, 0, MPI_COMM_WORLD, &sent[i]);
    while (!done) {
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, &status);
        if (found) {
            MPI_Recv(&values[received], 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            received++;
        }
        if (is_in_barrier) {
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
            continue;
        }
        MPI_Testall(2, sent, &over, MPI_STATUSES_IGNORE);
        if (over) {
            MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
            is_in_barrier = 1;
        }
    }
    assert(received == 2 && values[0] + values[1] == 3 - rank);
    MPI_Finalize();
    return 0;
}
