/* smpi: ranks 2 */
/* smpi: compile-args -g -O0 */
/* smpi: expect-finding deadlock */
/* smpi: expect-stderr-contains MPI_Win_post of rank 1 */
/* An access epoch is begun, and nobody exposes memory: the report has the words of MPI, and none about messages. */
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
    }
    MPI_Win_free(&window);
    MPI_Group_free(&peer);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
