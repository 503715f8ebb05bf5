/* A receive is cancelled, and may have taken its message before. With a property the second is not looked at, and the
 * verdict says so. */
/* smpi: ranks 2 */
/* smpi: verify --ltl=G(!lost) --buffering infinite */
/* smpi: expect-incomplete */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    static int lost;
    int rank, is_cancelled;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MC_proposition("lost", &lost);
        MPI_Irecv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &is_cancelled);
        lost = is_cancelled;
        MPI_Barrier(MPI_COMM_WORLD);
        if (is_cancelled)
            MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
