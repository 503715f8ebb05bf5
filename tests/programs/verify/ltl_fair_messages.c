/* A server gives its clients leave one after the other, and takes their requests in any order. MPI allows that it takes
 * rank 2's for ever (see ltl_served.c). With messages that are taken eventually, every client gets what it asks for. */
/* smpi: ranks 4 */
/* smpi: verify --ltl=G((asked1->Fgranted1)&&(asked2->Fgranted2)) --fair-messages */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <smpi/smpi.h>

enum { ASK, GRANT, GIVE_BACK };

int main(int argc, char **argv) {
    static int asked, granted;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 || rank == 2) {
        MC_proposition(rank == 1 ? "asked1" : "asked2", &asked);
        MC_proposition(rank == 1 ? "granted1" : "granted2", &granted);
    }
    for (;;)
        if (rank == 0) {
            MPI_Status status;
            MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
            MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, GRANT, MPI_COMM_WORLD);
            MPI_Recv(NULL, 0, MPI_INT, status.MPI_SOURCE, GIVE_BACK, MPI_COMM_WORLD, &status);
        } else {
            asked = 1;
            MPI_Send(NULL, 0, MPI_INT, 0, ASK, MPI_COMM_WORLD);
            MPI_Recv(NULL, 0, MPI_INT, 0, GRANT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            asked = 0, granted = 1;
            MPI_Send(NULL, 0, MPI_INT, 0, GIVE_BACK, MPI_COMM_WORLD);
            granted = 0;
        }
}
