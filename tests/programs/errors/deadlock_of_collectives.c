/* Three communicators of two ranks each, whose barriers are called in a circle: the shortest round has all three ranks. */
/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: expect-exit 3 */
/* smpi: expect-stderr-contains MPI_Barrier waits for rank 1 to call MPI_Barrier (collective 0 of a communicator of ranks 0,1) */
/* smpi: expect-stderr-contains cycle: rank 0 → rank 1 → rank 2 → rank 0 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm with_next, with_previous, unused;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int without = 0; without < 3; without++) {
        MPI_Comm_split(MPI_COMM_WORLD, rank == without ? MPI_UNDEFINED : 0, 0, &unused);
        if (rank == (without + 1) % 3)
            with_next = unused;
        if (rank == (without + 2) % 3)
            with_previous = unused;
    }
    MPI_Barrier(with_next);
    MPI_Barrier(with_previous);
    MPI_Comm_free(&with_next);
    MPI_Comm_free(&with_previous);
    MPI_Finalize();
    return 0;
}
