/* smpi: ranks 6 */
/* smpi: requires smpi */
/* smpi: compile-args -g */
/* smpi: expect-exit 3 */
/* smpi: expect-stderr-contains rank    0  MPI_Barrier waits for ranks 1,3,5 to call MPI_Barrier (collective 1 of MPI_COMM_WORLD) */
/* smpi: expect-stderr-contains rank    1  MPI_Barrier waits for rank 5, which has ended, to call MPI_Barrier (collective 1 of a communicator of ranks 1,3,5) */
/* smpi: expect-stderr-contains rank    4  MPI_Barrier waits for ranks 1,3,5 to call MPI_Barrier (collective 1 of MPI_COMM_WORLD) */
/* Who waits in a collective operation is told who has not called it, and of which communicator. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Comm half;
    int rank, data = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Bcast(&data, 1, MPI_INT, 0, half);
    if (rank == 5)
        _exit(0);
    MPI_Barrier(half);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
