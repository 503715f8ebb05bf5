/* A message that a probe has found is there until it is received: what looks for it again says yes, whether it asks for the
 * same, for more or for less, and whether it takes the message. Only the first MPI_Iprobe may say "not yet": two executions. */
/* smpi: ranks 2 */
/* smpi: verify --buffering both --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
/* smpi: reductions none=24 dpor=2 */
#include <assert.h>
#include <mpi.h>

static int found(int source, int tag) {
    int flag;
    MPI_Status status;
    MPI_Iprobe(source, tag, MPI_COMM_WORLD, &flag, &status);
    return flag && status.MPI_SOURCE == 0;
}

int main(int argc, char **argv) {
    int rank, value = 0, flag;
    MPI_Message message;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(found(0, 0));
        assert(found(MPI_ANY_SOURCE, 0));
        assert(found(0, MPI_ANY_TAG));
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
        assert(flag);
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        if (found(MPI_ANY_SOURCE, 1))
            assert(found(0, 1) && found(MPI_ANY_SOURCE, MPI_ANY_TAG));
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        /* A receive that may have taken it: it did. */
        MPI_Probe(0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        assert(!found(0, 2));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        for (int tag = 0; tag < 3; tag++)
            MPI_Send(&rank, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
