/* Mutual exclusion by a coordinator that forgets what client 1 asks for: it waits for ever, and others go round. */
/* smpi: ranks 4 */
/* smpi: verify --ltl=G(request1->F(cs1)) */
/* smpi: expect-finding liveness */
#include <mpi.h>
#include <smpi/smpi.h>

enum { REQUEST, RELEASE, GRANT };

static void coordinate(void) {
    for (;;) {
        MPI_Status status;
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, REQUEST, MPI_COMM_WORLD, &status);
        if (status.MPI_SOURCE != 1) {
            MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, GRANT, MPI_COMM_WORLD);
            MPI_Recv(NULL, 0, MPI_INT, status.MPI_SOURCE, RELEASE, MPI_COMM_WORLD, &status);
        }
        status = (MPI_Status){0};
    }
}

int main(int argc, char **argv) {
    static int request, cs;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        coordinate();
    if (rank == 1) {
        MC_proposition("request1", &request);
        MC_proposition("cs1", &cs);
    }
    for (;;) {
        request = 1;
        MPI_Send(NULL, 0, MPI_INT, 0, REQUEST, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, 0, GRANT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        request = 0;
        cs = 1;
        MPI_Send(NULL, 0, MPI_INT, 0, RELEASE, MPI_COMM_WORLD);
        cs = 0;
    }
}
