/* A poll that finds nothing makes rank 0 give up, and rank 1 waits for its answer for ever. */
/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding deadlock */
/* smpi: expect-explanation inevitable since rank 0's MPI_Test at explain_poll.c:15 returned not yet, and not yes: the only continuation fails */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value = 0, flag;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request;
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (flag)
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
