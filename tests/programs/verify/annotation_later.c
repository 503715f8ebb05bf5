/* The request that matters is complete when its sender is chosen, and nobody says that this comes before Waitany
 * returns the other one: four executions, two senders and two answers. */
/* smpi: ranks 4 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=4 infinite=4 */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[2];
        int values[2], last, done, matter[2] = {1, 0};
        MPI_Irecv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &requests[1]);
        SMPI_ANNOTATE(2, matter);
        MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
        MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
        MPI_Recv(&last, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, rank != 2, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
