/* States in which a communicator is made have no name; those of the loop that follows have. */
/* smpi: ranks 3 */
/* smpi: verify --ltl=G(F(turn))&&G(F(!turn)) */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-stderr-contains told apart */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    static int turn;
    int rank, size;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0)
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < 3; i++)
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1, 0, &comm);
    MPI_Comm_size(comm, &size);
    if (rank == 0)
        MC_proposition("turn", &turn);
    for (;;) {
        turn = !turn;
        MPI_Comm_rank(comm, &size);
        MPI_Barrier(comm);
    }
}
