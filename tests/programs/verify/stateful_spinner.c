/* A rank synchronises with nobody but itself, for ever, and never waits. The others get what is theirs all the same. */
/* smpi: ranks 3 */
/* smpi: verify --stateful --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    int rank;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1, 0, &comm);
    while (rank == 1) {
        MPI_Barrier(comm);
        MPI_Barrier(MPI_COMM_SELF);
    }
    for (int i = 0; i < 3; i++) {
        if (rank == 0)
            MC_random(0, 1);
        MPI_Barrier(comm);
    }
    MC_assert(rank != 2);
    MPI_Finalize();
    return 0;
}
