/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 */
/* smpi: verify --keep-going */
/* smpi: expect-finding mpi/invalid/epoch */
/* smpi: expect-finding deadlock */
/* smpi: expect-stderr-contains it is without MPI_MODE_NOCHECK */
/* A start that waits for a post which, by its assertion, tells nobody (MPI 5.0 section 12.5.5). */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, other;
    MPI_Win window;
    MPI_Group world, peer;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &peer);
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (rank == 0) {
        MPI_Win_start(peer, 0, window);
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(peer, MPI_MODE_NOCHECK, window);
        MPI_Win_wait(window);
    }
    MPI_Win_free(&window);
    MPI_Group_free(&peer);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
