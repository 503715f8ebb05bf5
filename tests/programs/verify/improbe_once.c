/* Improbe of any source with two senders: not yet, then one of two messages is taken first; or one of two at once. The
 * receive of any source that follows has the other message, or, after "not yet", both: 2 + 2 executions. */
/* smpi: ranks 3 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=4 infinite=4 */
/* smpi: reductions none=80 dpor=16 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int value, found, left = 2;
        MPI_Message message;
        MPI_Improbe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
        if (found) {
            MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
            left--;
        }
        while (left-- > 0)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
