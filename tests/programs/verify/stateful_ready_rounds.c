/* Two ranks send to each other in ready mode for ever, and a barrier makes sure that receives are posted before, all of
 * them persistent. There is no choice, and how many rounds are over does not matter. */
/* smpi: ranks 2 */
/* smpi: verify --stateful */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states 1 */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Request receive, barrier, send;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv_init(NULL, 0, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &receive);
    MPI_Rsend_init(NULL, 0, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &send);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &barrier);
    for (;;) {
        MPI_Start(&receive);
        MPI_Start(&barrier);
        MPI_Wait(&barrier, MPI_STATUS_IGNORE);
        MPI_Start(&send);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
}
