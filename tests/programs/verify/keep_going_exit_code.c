/* A rank that returns 1 after MPI_Finalize does not hide what it left over. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding exit-code */
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
    return rank;
}
