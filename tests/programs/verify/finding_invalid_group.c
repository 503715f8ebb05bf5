/* The size of the null group. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/group */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n;
    MPI_Group_size(MPI_GROUP_NULL, &n);
    MPI_Finalize();
    return 0;
}
