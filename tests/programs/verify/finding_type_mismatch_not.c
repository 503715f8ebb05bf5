/* Another layout of the same types: two integers against a pair of integers. */
/* smpi: passes mpi/type-mismatch */
/* smpi: ranks 2 */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int values[2] = {rank, rank};
    if (rank == 0) {
        MPI_Datatype pair;
        MPI_Type_contiguous(2, MPI_INT, &pair);
        MPI_Type_commit(&pair);
        MPI_Recv(values, 1, pair, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Type_free(&pair);
    } else {
        MPI_Send(values, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
