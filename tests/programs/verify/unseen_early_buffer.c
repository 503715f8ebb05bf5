/* The program does not look at the index, but uses a buffer as if the first request had been taken: where it was not, that is a race,
 * which must not be left out. */
/* smpi: requires smpi */
/* smpi: compile-args --verify */
/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding race/buffer */
/* smpi: expect-complete */
/* smpi: expect-executions zero=2 infinite=2 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[2];
        int values[2], done;
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
        values[0]++;
        MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
