/* The calls that multiply executions most, the dearest first: each poll finds nothing or the message of one of those that
 * have not come, each result of Waitany is one of those that are left. With two processes the same is said. */
/* smpi: ranks 5 */
/* smpi: verify --max-executions 2000 --buffering zero --jobs 2 */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains zero buffering: MPI_Iprobe at dear_polls.c:28 (rank 0) is taken 3.5 ways on */
/* smpi: expect-stderr-contains waiting instead of polling */
/* smpi: expect-stderr-contains zero buffering: MPI_Waitany at dear_polls.c:24 (rank 0) is taken 3 ways on */
/* smpi: expect-stderr-contains SMPI_ANNOTATE */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, in[4], index, found;
    MPI_Request requests[4];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        for (int i = 1; i < size; i++)
            MPI_Irecv(&in[i - 1], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &requests[i - 1]);
        for (int i = 1; i < size; i++)
            /* The index is looked at by nobody, but the program does not report its accesses. */
            MPI_Waitany(size - 1, requests, &index, MPI_STATUS_IGNORE);
        for (int i = 1; i < size; i++) {
            MPI_Status status;
            int value;
            MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &found, &status);
            MPI_Recv(&value, 1, MPI_INT, found ? status.MPI_SOURCE : MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
