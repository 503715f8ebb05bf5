/* A rank sends messages to itself until another one stops it, which that one never does. It gets nothing of anybody. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going --stateful */
/* smpi: expect-finding livelock */
/* smpi: expect-complete */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value = 0, here, over = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request stop, own;
        MPI_Irecv(&here, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &stop);
        while (!over) {
            int work;
            MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &own);
            MPI_Recv(&work, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Wait(&own, MPI_STATUS_IGNORE);
            MPI_Test(&stop, &over, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
