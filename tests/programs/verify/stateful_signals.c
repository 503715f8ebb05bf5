/* What a rank wants done about a signal belongs to a state: nothing else tells the two orders apart, and the assertion
 * fails in one of them. */
/* smpi: ranks 3 */
/* smpi: verify --stateful --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
#include <assert.h>
#include <mpi.h>
#include <signal.h>

static volatile int handled;

static void handle(int number) { handled = number; }

static void order(void) {
    MPI_Status status;
    MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    signal(SIGUSR1, status.MPI_SOURCE == 1 ? handle : SIG_IGN);
    MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    status = (MPI_Status){0};
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        order();
    else
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        raise(SIGUSR1);
        assert(handled);
    }
    MPI_Finalize();
    return 0;
}
