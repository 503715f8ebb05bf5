/* One of a group of four skips the group's broadcast and barrier. Without buffering the root waits for it in the
   broadcast; with it the root goes on, and waits in the barrier: one bug, one finding. */
// smpi: ranks 8
// smpi: verify --keep-going
// smpi: expect-finding deadlock
// smpi: expect-executions 1
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, data;
    MPI_Comm group;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &group);
    data = rank * 10;
    if (rank != 5) MPI_Bcast(&data, 1, MPI_INT, 0, group);
    if (rank != 5) MPI_Barrier(group);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&group);
    MPI_Finalize();
    return 0;
}
