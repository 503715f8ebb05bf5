/* A split type that does not exist. */
/* smpi: ranks 2 */
/* smpi: expect-finding mpi/invalid/argument */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm part;
    MPI_Comm_split_type(MPI_COMM_WORLD, 12345, 0, MPI_INFO_NULL, &part);
    MPI_Finalize();
    return 0;
}
