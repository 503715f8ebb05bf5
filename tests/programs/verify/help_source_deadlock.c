/* Rank 0 wants rank 2's message first. To name rank 2 there is no help: where rank 2 has taken rank 3's message first, it
 * waits for rank 0 before it sends. */
/* smpi: ranks 4 */
/* smpi: verify --explain-within 60 */
/* smpi: expect-finding assertion */
/* smpi: expect-help would not help: with the sources named at help_source_deadlock.c:20 (rank 0: 2, 1): 2 of 4 executions fail, with deadlock; complete */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, word = 0;
    MPI_Status status;
    MPI_Request requests[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    switch (rank) {
    case 0:
        for (int i = 0; i < 2; i++) {
            /* The message of rank 1 or 2. */
            MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            if (i == 0) {
                assert(status.MPI_SOURCE == 2);
                MPI_Isend(&rank, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, requests);
            }
        }
        MPI_Wait(requests, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Isend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, requests);
        MPI_Isend(&rank, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, requests + 1);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        break;
    case 2:
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        if (status.MPI_SOURCE == 3)
            MPI_Recv(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Isend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, requests);
        if (status.MPI_SOURCE != 3)
            MPI_Recv(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Send(&rank, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
