/* A rank that handles signals polls like any other: nobody else sends it signals, so what it does while it finds nothing
 * follows from what it has. Long programs set such handlers to write a checkpoint when their time is up. */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=4 infinite=4 */
#include <mpi.h>
#include <signal.h>

static volatile sig_atomic_t ended;

static void end(int number) { ended = number; }

int main(int argc, char **argv) {
    int rank, first = 0, second = 0, values[2];
    MPI_Request requests[2];
    signal(SIGTERM, end);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&values[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < 2; i++)
        MPI_Send(&rank, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD);
    while ((!first || !second) && !ended) {
        MPI_Test(&requests[0], &first, MPI_STATUS_IGNORE);
        MPI_Test(&requests[1], &second, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
