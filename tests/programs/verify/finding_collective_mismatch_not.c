/* The same collectives, with arguments that matter at the root only. */
/* smpi: passes mpi/collective-mismatch */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int value = rank, all[2];
    MPI_Gather(&value, 1, MPI_INT, rank == 1 ? all : 0, rank == 1 ? 1 : -3, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
