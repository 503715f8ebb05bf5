/* Two ranks pass a message to and fro for ever, with a message to itself of the first one in each round: they get something of each
 * other, and are meant to run for ever. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going --stateful */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (;;) {
        if (rank == 0) {
            MPI_Request own;
            int work;
            MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &own);
            MPI_Recv(&work, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Wait(&own, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}
