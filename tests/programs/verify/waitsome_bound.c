/* Four completed requests: Waitsome returns each one, or all, but not all of their fifteen sets, because only those of up to
 * three are tried. The report says so. */
/* smpi: ranks 5 */
/* smpi: requires smpi */
/* smpi: verify --max-waitsome 3 */
/* smpi: expect-no-finding */
/* smpi: expect-executions zero=5 infinite=5 */
/* smpi: expect-stderr-contains exploration not complete */
/* smpi: expect-stderr-contains --max-waitsome N moves that limit of 3 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[4];
        int values[4], count, indices[4];
        for (int i = 0; i < 4; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitsome(4, requests, &count, indices, MPI_STATUSES_IGNORE);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
