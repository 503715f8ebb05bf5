/* A group that is not freed on rank 1. */
/* smpi: ranks 2 */
/* smpi: expect-finding leak/group */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Group group;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    if (rank == 0)
        MPI_Group_free(&group);
    MPI_Finalize();
    return 0;
}
