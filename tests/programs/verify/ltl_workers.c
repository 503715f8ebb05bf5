/* Workers that compute between what is visible: which way their steps go, and in which order with others' steps, makes
 * no difference to what is asked of one of them. 153 states if nothing is left out. */
/* smpi: ranks 4 */
/* smpi: verify --ltl=G(busy1->F(!busy1)) --buffering zero */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states 19 */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>

static void distribute(int size) {
    for (;;) {
        int result;
        for (int worker = 1; worker < size; worker++)
            MPI_Send(NULL, 0, MPI_INT, worker, 0, MPI_COMM_WORLD);
        for (int worker = 1; worker < size; worker++)
            MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        result = 0;
    }
}

int main(int argc, char **argv) {
    static int busy;
    static char name[8];
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        distribute(size);
    sprintf(name, "busy%d", rank);
    MC_proposition(name, &busy);
    for (;;) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        busy = 1;
        for (int step = 0; step < 3; step++)
            MC_random(0, 1);
        busy = 0;
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
}
