/* Who sends in ready mode has waited for a message of the receiver, but for one that it sends before its receive. */
/* smpi: ranks 2 */
/* smpi: compile-args -g */
/* smpi: verify */
/* smpi: expect-finding mpi/ready-send */
/* smpi: expect-stderr-contains the last message of */
/* smpi: expect-stderr-contains clue_ready_heard.c:19, by MPI_Recv */
/* smpi: expect-stderr-contains clue_ready_heard.c:23 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Irecv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Rsend(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
