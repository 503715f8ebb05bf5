/* A master that hands out work again whenever worker 1 answers first: an execution in which it always does is no end. The one
 * in which worker 2 answers leaves the round, and the report says by which choice. */
/* smpi: ranks 3 */
/* smpi: compile-args -g */
/* smpi: verify --ltl=F(done) --buffering zero */
/* smpi: expect-finding liveness */
/* smpi: expect-stderr-contains a way out of the round: */
/* smpi: expect-stderr-contains takes the message */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv)
{
    static int done;
    int rank, stop = 0;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MC_proposition("done", &done);
    while (!stop) {
        if (rank > 0)
            MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        else {
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            stop = status.MPI_SOURCE == 2;
            MPI_Recv(NULL, 0, MPI_INT, 3 - status.MPI_SOURCE, 0, MPI_COMM_WORLD, &status);
            status = (MPI_Status){0};
        }
        MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    done = rank == 0;
    MPI_Finalize();
    return 0;
}
