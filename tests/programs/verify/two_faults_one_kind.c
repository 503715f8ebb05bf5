/* Twice rank 0 takes it for granted that rank 1 is the first, and waits for ever otherwise. These are two faults: the
 * choices that lead to them are others, although the second comes only where the first does not. */
/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding deadlock */
/* smpi: expect-faults deadlock=2 */
/* smpi: expect-complete */
/* smpi: expect-explanation inevitable since rank 0's MPI_Recv at two_faults_one_kind.c:16 took the message that rank 2 sent */
/* smpi: expect-explanation inevitable since rank 0's MPI_Recv at two_faults_one_kind.c:19 took the message that rank 2 sent */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, first, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) { MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (first == 2) MPI_Recv(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (first == 2) MPI_Recv(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
