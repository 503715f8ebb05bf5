/* A server that answers for ever in ready mode, to clients that have posted their receives before they ask. What is known
 * of receives that are over tells no states apart. */
/* smpi: ranks 4 */
/* smpi: verify --stateful */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states 7 */
#include <mpi.h>

enum { ASK, ANSWER };

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (;;)
        if (rank == 0) {
            MPI_Status status;
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
            MPI_Rsend(NULL, 0, MPI_INT, status.MPI_SOURCE, ANSWER, MPI_COMM_WORLD);
        } else {
            MPI_Request request;
            MPI_Irecv(NULL, 0, MPI_INT, 0, ANSWER, MPI_COMM_WORLD, &request);
            MPI_Send(NULL, 0, MPI_INT, 0, ASK, MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
}
