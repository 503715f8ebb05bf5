/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 */
/* smpi: expect-finding memory/freed */
/* smpi: expect-stderr-contains among the program's variables */
/* Between two variables lies nothing. */
#include <mpi.h>

static _Alignas(4096) int first[4];
static _Alignas(4096) int second[4];

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *below = second < first ? second : first;
    if (rank == 0)
        MPI_Send(first, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(below + 100, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return second[0];
}
