/* A program that goes by what a call has left on its stack, as one does that reads a variable before it sets it. While no
 * poll is in vain, calls leave it as they are explored, and as their schedules are replayed: the finding comes again. */
/* smpi: ranks 3 */
/* smpi: compile-args -O0 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
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
    int rank, value = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        assert(!something_left() || status.MPI_SOURCE != 2);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
