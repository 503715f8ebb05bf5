/* Two ranks send to each other first. It takes a buffered send of one of them. */
/* smpi: ranks 2 */
/* smpi: verify --explain-within 60 */
/* smpi: expect-finding deadlock/buffering */
/* smpi: expect-help not with infinite buffering: no error in 1 execution; complete */
/* smpi: expect-help would help: with the MPI_Send at help_buffered.c:15 buffered: no error in 2 executions; complete */
/* smpi: expect-help would help: with the MPI_Send at help_buffered.c:18 buffered: no error in 2 executions; complete */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, word = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
