/* Annotations of the other calls, each of which counts for the next call only. Of three completed requests two matter to
 * Waitsome: three sets. What is left (two, two or one) comes from Testsome and Testany one by one, and that they say "no" before leads to nothing else. */
/* smpi: ranks 4 */
/* smpi: requires smpi */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=3 infinite=3 */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[3];
        int values[3], indices[3], count, matter[3] = {1, 1, 0}, none[3] = {0, 0, 0};
        for (int i = 0; i < 3; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        MPI_Barrier(MPI_COMM_WORLD);
        SMPI_ANNOTATE(3, matter);
        MPI_Waitsome(3, requests, &count, indices, MPI_STATUSES_IGNORE);
        for (int left = 3 - count; left > 0; left -= count) {
            SMPI_ANNOTATE(3, none);
            MPI_Testsome(3, requests, &count, indices, MPI_STATUSES_IGNORE);
        }
        for (int i = 0; i < 3; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        int flag = 0, index;
        while (!flag) {
            SMPI_ANNOTATE(3, none);
            MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE);
        }
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Request request;
        MPI_Isend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
