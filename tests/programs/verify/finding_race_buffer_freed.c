/* The buffer of a pending receive is freed; it is noticed though nobody writes there afterwards. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding race/buffer */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *block = calloc(100, sizeof(double));
    MPI_Request request;
    if (rank == 0)
        MPI_Irecv(&block[50], 2, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Isend(&block[50], 2, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
    if (rank == 0)
        free(block);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1)
        free(block);
    MPI_Finalize();
    return 0;
}
