/* A rank looks once for each message before it waits for it, and forgets what it saw: both answers lead to the same
 * state. So there is one state more for each message, where there are 2^8 executions. */
/* smpi: ranks 2 */
/* smpi: verify --stateful */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-states zero=9 infinite=9 */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value = 0, found;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 8; i++)
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
        else {
            MPI_Iprobe(0, i, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
            MPI_Recv(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            found = 0;
        }
    MPI_Finalize();
    return 0;
}
