/* The same, but a rank hands the token on before it says that it has no token any more: two ranks may have it. */
/* smpi: ranks 3 */
/* smpi: verify --ltl=G(!(first&&last)) --buffering infinite */
/* smpi: expect-finding liveness */
#include <mpi.h>
#include <smpi/smpi.h>

static int rank, holds;

static int has_token(void) {
    return holds;
}

int main(int argc, char **argv) {
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        MC_proposition_function("first", has_token);
    if (rank == size - 1)
        MC_proposition_function("last", has_token);
    for (int round = 0;; round = 1) {
        if (rank > 0 || round > 0)
            MPI_Recv(NULL, 0, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        holds = 1;
        MPI_Send(NULL, 0, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
        holds = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
}
