/* Under the checker a timer's signal comes when its rank waits for it; that is not all that can happen, and it says so. */
/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-executions zero=2 infinite=2 */
/* smpi: expect-stderr-contains exploration NOT complete */
/* smpi: expect-stderr-contains timer */
#include <assert.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

static int alarms;

static void note(int signal) { alarms += signal == SIGALRM; }

int main(int argc, char **argv) {
    int rank, value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    signal(SIGALRM, note);
    if (rank == 0) {
        alarm(5);
        for (int i = 0; i < 2; i++)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(alarms == 0);
        assert(sleep(3) == 0 && alarms == 0);
        assert(sleep(20) > 0 && alarms == 1);
        alarm(1);
        pause();
        assert(alarms == 2 && alarm(0) == 0);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
