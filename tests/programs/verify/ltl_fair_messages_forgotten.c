/* The server takes every message, and forgets what rank 1 asks for every second time: no fairness between messages helps. */
/* smpi: ranks 3 */
/* smpi: verify --ltl=G(asked->Fgranted) --fair-messages */
/* smpi: expect-finding liveness */
#include <mpi.h>
#include <smpi/smpi.h>

enum { ASK, GRANT };

int main(int argc, char **argv) {
    static int asked, granted;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MC_proposition("asked", &asked);
        MC_proposition("granted", &granted);
    }
    for (int forgets = 0;;)
        if (rank == 0) {
            MPI_Status status;
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
            if (status.MPI_SOURCE == 1)
                forgets = !forgets;
            if (status.MPI_SOURCE != 1 || !forgets)
                MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, GRANT, MPI_COMM_WORLD);
            status = (MPI_Status){0};
        } else {
            asked = 1;
            MPI_Send(NULL, 0, MPI_INT, 0, ASK, MPI_COMM_WORLD);
            MPI_Recv(NULL, 0, MPI_INT, 0, GRANT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            asked = 0, granted = 1;
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            granted = 0;
        }
}
