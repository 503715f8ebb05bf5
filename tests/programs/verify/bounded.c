/* A bound that is reached is no error, but the exploration is not complete, and says so. */
/* smpi: ranks 5 */
/* smpi: verify --max-executions 10 */
/* smpi: expect-no-finding */
/* smpi: expect-executions 10 */
/* smpi: expect-stderr-contains exploration not complete */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int value = rank;
    if (rank == 0)
        for (int i = 1; i < size; i++)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
