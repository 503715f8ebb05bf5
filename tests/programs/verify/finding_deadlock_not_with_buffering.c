/* Both ranks send first, and sends buffer. */
/* smpi: passes deadlock/buffering */
/* smpi: ranks 2 */
/* smpi: verify --buffering infinite */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int in, out = rank;
    MPI_Send(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
