/* All ranks exchange messages with their neighbours for ever, and add up what they get; without a choice, and in several
 * ways: one state, whatever else happens between two rounds. */
/* smpi: ranks 5 */
/* smpi: verify --stateful */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states 1 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, mine = 1, got = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int round = 0;; round = (round + 1) % 3) {
        MPI_Request requests[2];
        int *own = malloc(sizeof *own);
        if (!own)
            MPI_Abort(MPI_COMM_WORLD, 2);
        *own = round;
        MPI_Sendrecv(&mine, 1, MPI_INT, next, 0, &got, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Isend(own, 1, MPI_INT, before, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&got, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        free(own);
        MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (sum != size * round)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
}
