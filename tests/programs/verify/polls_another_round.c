/* A loop whose first round polls for something else than those that follow: a rank that polls again in vain need not have
 * been where it is then, although it comes back there from then on. That the message of rank 2 is there before the one of
 * rank 1 is seen in the second round only. */
/* smpi: ranks 4 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-explanation inevitable since rank 0's MPI_Iprobe at polls_another_round.c:24 returned a message of rank 2, instead of not yet */
/* smpi: expect-executions zero=3 infinite=3 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value, is_first = 1, done = 0, found = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request;
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        for (;;) {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            if (done)
                break;
            MPI_Iprobe(is_first ? 3 : 2, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
            assert(!found);
            is_first = 0;
        }
        MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank != 3) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
