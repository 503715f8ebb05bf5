/* Rank 0 polls for two messages in turn. Either can be there first, and the program relies on one of the orders: of two polls
 * that nobody sees to fail, each must have its chance to find something first. */
/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-explanation inevitable since rank 0's MPI_Test at polls_ahead.c:26 returned yes, instead of not yet */
/* smpi: expect-executions zero=2 infinite=2 */
#include <assert.h>
#include <mpi.h>

#ifndef FIRST
#define FIRST 1
#endif

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, values[2] = {0, 0}, first = 0, done = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[2];
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        while (!done)
            for (int i = 0; i < 2 && !done; i++) {
                MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
                if (done)
                    first = i + 1;
            }
        assert(first == FIRST);
        MPI_Wait(&requests[2 - first], MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
