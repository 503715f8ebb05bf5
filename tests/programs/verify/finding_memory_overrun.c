/* The root of a gather has room for its own number only. */
/* smpi: ranks 3 */
/* smpi: expect-finding memory/overrun */
#include <mpi.h>

static int numbers;

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Gather(&rank, 1, MPI_INT, &numbers, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
