/* Who sends to whom is found out by a nonblocking consensus, as PETSc and hypre do it: synchronous sends, a loop over Iprobe, and
 * a nonblocking barrier once the own messages have arrived. Everybody learns all that was sent to it. */
/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=7 infinite=7 */
#include <assert.h>
#include <mpi.h>

#define TAG 5

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, value, received = 0, done = 0, is_in_barrier = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Request sent, barrier;
    MPI_Issend(&rank, 1, MPI_INT, (rank + 1) % size, TAG, MPI_COMM_WORLD, &sent);
    while (!done) {
        int found, over = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &found, &status);
        if (found) {
            MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            received++;
        }
        if (is_in_barrier) {
            MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
        } else {
            MPI_Test(&sent, &over, MPI_STATUS_IGNORE);
            if (over) {
                MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
                is_in_barrier = 1;
            }
        }
    }
    assert(received == 1);
    MPI_Finalize();
    return 0;
}
