/* The annotation is for two requests, Waitany has three. It is ignored: all six orders are explored. */
/* smpi: ranks 4 */
/* smpi: requires smpi */
/* smpi: verify --keep-going */
/* smpi: expect-finding annotation */
/* smpi: expect-executions zero=6 infinite=6 */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[3];
        int values[3], done, matter[2] = {0, 0};
        for (int i = 0; i < 3; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        SMPI_ANNOTATE(2, matter);
        for (int i = 0; i < 3; i++)
            MPI_Waitany(3, requests, &done, MPI_STATUS_IGNORE);
    } else {
        MPI_Request request;
        int value = rank;
        MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
