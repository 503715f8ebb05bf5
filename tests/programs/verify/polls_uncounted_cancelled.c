/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* Rank 0 polls for a message of rank 1, and cancels another receive then. */
#include <assert.h>
#include <mpi.h>

#ifdef MOST
#define GIVES_UP(polls) (++(polls) == MOST)
#else
#define GIVES_UP(polls) 0
#endif

int main(int argc, char **argv)
{
    int rank, values[2] = {0}, flag = 0, polls = 0, cancelled;
    MPI_Request requests[2];
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
        while (!flag && !GIVES_UP(polls))
            MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        assert(flag);
        MPI_Cancel(&requests[1]);
        MPI_Wait(&requests[1], &status);
        MPI_Test_cancelled(&status, &cancelled);
        if (cancelled)
            MPI_Recv(&values[1], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(values[0] == 1 && values[1] == 2);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
