/* Calls of MPI overflow the stacks of all ranks, the first one while libsmpi makes a table that all ranks use: nobody
   waits for it. */
/* smpi: ranks 4 */
/* smpi: verify --stack-size=64KiB */
/* smpi: expect-finding crash */
#include <mpi.h>

enum { LEFT = 20 << 10 };

int main(int argc, char **argv) {
    volatile char room[(64 << 10) - LEFT];
    int rank, token = 0;
    room[0] = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank < 3)
        MPI_Send(&token, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return room[0] - 1;
}
