/* Mutual exclusion by a coordinator that asks its clients in turn: each gets what it asks for, if all are given their
 * turns. (A coordinator that receives from anybody may take the others' messages for ever, which MPI 5.0 §3.5 allows.) */
/* smpi: ranks 4 */
/* smpi: verify --ltl=G(request1->F(cs1)) */
/* smpi: passes liveness */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <smpi/smpi.h>

enum { REQUEST, RELEASE, GRANT };

int main(int argc, char **argv) {
    static int request, cs;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int client = 1; rank == 0; client = client % (size - 1) + 1) {
        MPI_Recv(NULL, 0, MPI_INT, client, REQUEST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_INT, client, GRANT, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, client, RELEASE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
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
