/* Twelve ranks receive from two senders each, in 4,096 ways. Then they send to each other in a ring: who has heard of its second sender
 * first receives before it sends. Nobody is told whom others have heard of, and all that gets stuck is the one way in
 * which everybody receives first. It is found after each rank by itself, without the other 4,082. */
/* smpi: ranks 36 */
/* smpi: platform none */
/* smpi: verify --buffering infinite */
/* smpi: expect-finding deadlock */
/* smpi: expect-executions infinite=14 */
#include <mpi.h>

#ifndef FIRST
#define FIRST 0
#endif

int main(int argc, char **argv) {
    int rank, ranks, heard, other, got;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank % 3 != 0) {
        MPI_Send(&rank, 1, MPI_INT, rank / 3 * 3, 0, MPI_COMM_WORLD);
    } else {
        int next = (rank + 3) % ranks, last = (rank + ranks - 3) % ranks;
        MPI_Recv(&heard, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (heard > other && rank >= FIRST) {
            MPI_Recv(&got, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
        } else {
            MPI_Send(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
            MPI_Recv(&got, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
