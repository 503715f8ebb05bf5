/* The program of the tests cancel_shown*.c. Rank 1 receives the message, or another one if it was cancelled. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, shown, cancelled, value = 5;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Request_get_status(request, &shown, MPI_STATUS_IGNORE);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &cancelled);
        assert(!(shown && cancelled));
        if (cancelled)
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(value == 5);
    }
    MPI_Finalize();
    return 0;
}
