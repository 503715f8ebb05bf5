/* Mutual exclusion by a coordinator, for ever: clients ask for the critical section, get it, and give it back. The
 * program has no last state, but few different ones. (Section 5.2 of the thesis of Cristian Rosa, 2011, has the
 * algorithm; states are counted differently there.) */
/* smpi: ranks 4 */
/* smpi: verify --stateful */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <smpi/smpi.h>

enum { REQUEST, RELEASE, GRANT };

static void coordinate(void) {
    int queue[16] = {0}, waiting = 0, is_taken = 0;
    for (;;) {
        MPI_Status status;
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == REQUEST) {
            queue[waiting++] = status.MPI_SOURCE;
        } else {
            MC_assert(is_taken);
            is_taken = 0;
        }
        /* What is left over of the message would make states differ. */
        status = (MPI_Status){0};
        if (!is_taken && waiting > 0) {
            int next = queue[0];
            waiting--;
            for (int i = 0; i < 15; i++)
                queue[i] = i < waiting ? queue[i + 1] : 0;
            is_taken = 1;
            MPI_Send(NULL, 0, MPI_INT, next, GRANT, MPI_COMM_WORLD);
        }
    }
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        coordinate();
    for (;;) {
        MPI_Send(NULL, 0, MPI_INT, 0, REQUEST, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, 0, GRANT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_INT, 0, RELEASE, MPI_COMM_WORLD);
    }
}
