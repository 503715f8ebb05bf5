/* Rank 0 waits for a message that nobody sends. Without buffering rank 1 waits in its send, with buffering in
 * MPI_Finalize, for the message in its attached buffer (MPI 5.0 §11.2.2): the deadlock of rank 0 does not depend on
 * buffering, and is one finding. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding deadlock */
/* smpi: expect-complete */
#include <mpi.h>

int main(int argc, char **argv) {
    static char room[1000 + MPI_BSEND_OVERHEAD];
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Buffer_attach(room, sizeof room);
        MPI_Bsend(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
