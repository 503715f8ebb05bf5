/* Ranks call MPI_Iprobe so that messages make progress, and look at neither flag nor status. One flag is overwritten before
 * somebody looks at it. */
/* smpi: requires smpi */
/* smpi: compile-args --verify -O2 */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, got, flag, other;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int round = 0; round < 3; round++) {
        MPI_Request request;
        MPI_Status status;
        MPI_Isend(&round, 1, MPI_INT, to, 0, MPI_COMM_WORLD, &request);
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
        MPI_Recv(&got, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Iprobe(from, 0, MPI_COMM_WORLD, &other, MPI_STATUS_IGNORE);
        MPI_Wait(&request, &status);
        flag = round;
        assert(flag == round && got == round);
    }
    MPI_Finalize();
    return 0;
}
