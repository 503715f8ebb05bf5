/* A rank polls for a message that nobody sends: known as soon as it polls again in the same state. */
/* smpi: ranks 2 */
/* smpi: verify --stateful --buffering zero */
/* smpi: expect-finding non-termination */
/* smpi: expect-states 2 */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, flag = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (rank == 0 && !flag)
        MPI_Iprobe(1, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
