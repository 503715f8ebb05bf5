/* From a rank's first poll in vain on, calls leave nothing on its stack, so that states in which it polls can be compared.
 * Before that they do, and an execution that begins anew before the first poll begins with that as well: rank 0 finds
 * what a receive has left, whichever message it took. */
/* smpi: ranks 3 */
/* smpi: compile-args -O0 */
/* smpi: verify --keep-going */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <assert.h>
#include <mpi.h>

/* Whether anything is where the frames of the last call were. */
__attribute__((noinline)) static int something_left(void) {
    volatile long *frame = __builtin_frame_address(0);
    for (int at = 32; at < 512; at++)
        if (frame[-at] != 0)
            return 1;
    return 0;
}

int main(int argc, char **argv) {
    int rank, value = 0, flag = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(something_left());
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
