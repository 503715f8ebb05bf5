/* What the report of an incomplete exploration says of the calls that multiply its executions: rank 0 takes the messages
 * of the 8 others in any order, 8! = 40,320 orders, and each receive but the last one has 8, 7, ..., 2 of them. */
/* smpi: ranks 9 */
/* smpi: verify --max-executions 1500 --buffering zero */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains about 40320 executions in all, judged by */
/* smpi: expect-stderr-contains MPI_Recv at dear_calls.c:22 (rank 0) is taken 5 ways */
/* smpi: expect-stderr-contains 7 times an execution; naming its source would leave */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, value;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    value = rank;
    if (rank > 0) {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    for (int i = 1; rank == 0 && i < size; i++) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
