/* Rank 2 takes a message of anybody, and leaves a word in the window of rank 0 then. If rank 1 finds that, it sends what
 * rank 2 would take; it cannot be the message that was taken. Ranks 3 and 4 have a choice of their own, which goes on
 * whatever the others do: so that a choice is tried again in vain can be seen. */
#include <assert.h>
#include <mpi.h>

static MPI_Win window;

static void leave(void);
static int look(void);

int main(int argc, char **argv)
{
    int rank, word = 0, memory = 0;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 0) {
        MPI_Send(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Send(&word, 1, MPI_INT, 2, look() == 0, MPI_COMM_WORLD);
    } else if (rank == 3) {
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 4) {
        MPI_Send(&word, 1, MPI_INT, 3, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        assert(status.MPI_SOURCE == 0);
        leave();
        MPI_Recv(&word, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
