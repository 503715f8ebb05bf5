/* Rank 1 posts a receive from anybody and gives its request up, so it never learns whose message that took. What it does
   later does not depend on it: not even when a partition of rank 0 arrives, which is told by MPI_Parrived, and rank 1
   tells rank 2 of that. So the message with which rank 2 answers may be the one that the first receive took (MPI 5.0
   section 3.5: there is no order between the messages of different ranks). */
/* smpi: ranks 4 */
/* smpi: verify */
/* smpi: expect-finding assertion */
/* smpi: expect-stderr-contains status.MPI_SOURCE == 2 */
/* smpi: reductions dpor=2 */
#include <assert.h>
#include <mpi.h>

#define TAG_GIVEN_UP 0
#define TAG_FIRST 1
#define TAG_PARTS 2

int main(int argc, char **argv) {
    int rank, word = 0, given_up = 0, there = 0, parts[2] = {3, 4};
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    switch (rank) {
    case 0:
        MPI_Psend_init(parts, 2, 1, MPI_INT, 1, TAG_PARTS, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
        break;
    case 1:
        MPI_Irecv(&given_up, 1, MPI_INT, MPI_ANY_SOURCE, TAG_GIVEN_UP, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, TAG_FIRST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Precv_init(parts, 2, 1, MPI_INT, 0, TAG_PARTS, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        while (!there)
            MPI_Parrived(request, 0, &there);
        MPI_Send(parts, 1, MPI_INT, 2, TAG_FIRST, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, TAG_GIVEN_UP, MPI_COMM_WORLD, &status);
        assert(status.MPI_SOURCE == 2);
        break;
    case 2:
        MPI_Recv(&word, 1, MPI_INT, 1, TAG_FIRST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&word, 1, MPI_INT, 1, TAG_GIVEN_UP, MPI_COMM_WORLD);
        break;
    default:
        MPI_Send(&rank, 1, MPI_INT, 1, TAG_GIVEN_UP, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 1, TAG_FIRST, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
