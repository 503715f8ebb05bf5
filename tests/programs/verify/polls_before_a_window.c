/* Ranks look before they wait, and make a window only afterwards: until then states have names, and what they do at the window is
 * compared as always. */
/* smpi: ranks 2 */
/* smpi: compile-args -O1 */
/* smpi: verify --keep-going --buffering zero */
/* smpi: expect-finding race/window */
/* smpi: expect-complete */
/* smpi: expect-states zero=33 */
#include <mpi.h>

#define LOOKS 12

int main(int argc, char **argv) {
    int rank, is_there, value = 0, shared = 0;
    MPI_Request request;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int look = 0; look < LOOKS; look++) {
        if (rank == 0) {
            MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
            MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
            if (!is_there)
                MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    }
    is_there = 0;
    MPI_Win_create(&shared, sizeof shared, sizeof shared, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
