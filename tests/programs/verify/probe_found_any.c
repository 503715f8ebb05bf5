/* A probe for anybody after one that has found a message of rank 1: it says yes, for that message or that of rank 2. A
 * receive for anybody may have taken the message of rank 1, so that a probe for it behind that says yes or no; not so a
 * receive for another tag. Executions: one of two messages is seen, and the receive takes that of rank 1, or that of rank 2 and the last
 * probe says yes or no: 2 * 3. */
/* smpi: ranks 3 */
/* smpi: verify --buffering both --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=6 infinite=6 */
/* smpi: reductions none=98 dpor=18 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value = 0, flag;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Probe(1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        assert(flag);
        MPI_Sendrecv(&rank, 1, MPI_INT, 0, 1, &value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        assert(flag);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        assert(!flag || status.MPI_SOURCE == 2);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
