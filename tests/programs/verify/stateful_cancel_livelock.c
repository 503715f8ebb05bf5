/* A rank cancels a receive in each round until a word comes, which another rank may keep to itself: then it goes round for ever.
 * That it cancels in each round does not make these rounds no execution. */
/* smpi: ranks 2 */
/* smpi: compile-args -O1 */
/* smpi: verify --stateful --keep-going */
/* smpi: expect-finding livelock */
/* smpi: expect-complete */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    int rank, value = 0, is_there = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        while (!is_there) {
            MPI_Irecv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
            MPI_Cancel(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Iprobe(1, 0, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
        }
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (MC_random(0, 1)) {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
