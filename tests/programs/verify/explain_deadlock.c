/* The second of three receives takes the message that the last one, which names its source, waits for. */
/* smpi: ranks 4 */
/* smpi: verify --keep-going */
/* smpi: expect-finding deadlock */
/* smpi: expect-explanation inevitable since rank 0's MPI_Recv at explain_deadlock.c:15 took the message that rank 3 sent at explain_deadlock.c:18, and not the message that rank 2 sent at explain_deadlock.c:18: the only continuation fails */
/* smpi: expect-explanation only then: the only other execution is right */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 3, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, rank > 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
