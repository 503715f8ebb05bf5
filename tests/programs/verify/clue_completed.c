/* Rank 0 waits for a request that is over by then, so it does not wait: what it was told last is said all the same, and which
 * receive it was that has taken the message. */
/* smpi: ranks 2 */
/* smpi: compile-args -g */
/* smpi: verify --buffering infinite */
/* smpi: expect-finding assertion */
/* smpi: expect-stderr-contains before: rank 0 waited last in MPI_Wait at clue_completed.c:24, by which its */
/* smpi: expect-stderr-contains MPI_Irecv at clue_completed.c:22 took the message that rank 1 sent at */
/* smpi: expect-stderr-contains clue_completed.c:27 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        /* Before it waits for rank 1, which has sent by then. */
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        assert(value == 2);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
