/* Nobody looks at what MPI_Test says of a send, and nobody waits for it: where it was not over, its request is lost, and
 * where it was, nothing is. */
/* smpi: requires smpi */
/* smpi: compile-args --verify -O2 */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding request/never-completed */
/* smpi: expect-complete */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, got, flag;
    MPI_Request request;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
