/* The same with messages between: first the one, then the other. */
/* smpi: ranks 2 */
/* smpi: verify --ltl=G!(cs0&&cs1) */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    static int cs;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MC_proposition(rank == 0 ? "cs0" : "cs1", &cs);
    if (rank == 1)
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    cs = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cs = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
