/* Two ranks exchange messages for ever; a third one polls for ever beside them. That is no error: the program goes on. */
/* smpi: ranks 3 */
/* smpi: verify --stateful */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, is_there = 0, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (rank == 0 && !is_there)
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    for (;;)
        MPI_Sendrecv(&rank, 1, MPI_INT, 3 - rank, 0, &x, 1, MPI_INT, 3 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
