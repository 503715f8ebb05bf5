/* Eleven completed requests, one more than all sets are tried of: each one, or all, which the report says; with an option all
 * sets are tried. */
/* smpi: ranks 12 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: expect-executions zero=12 infinite=12 */
/* smpi: expect-stderr-contains exploration not complete */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[11];
        int values[11], count, indices[11];
        for (int i = 0; i < 11; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitsome(11, requests, &count, indices, MPI_STATUSES_IGNORE);
        MPI_Waitall(11, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
