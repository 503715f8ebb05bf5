/* Which of two requests that are over Waitany returns is up to MPI. Here it is the first, on every platform. */
/* smpi: ranks 2 */
/* smpi: verify --explain-within 60 */
/* smpi: expect-finding assertion */
/* smpi: expect-help not in a simulation on gigabit-64.toml, and on none of 2 other platforms that were tried */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, index, words[2] = {0, 0};
    MPI_Request requests[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&words[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        assert(index == 0);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    } else {
        for (int i = 0; i < 2; i++)
            MPI_Isend(&rank, 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
