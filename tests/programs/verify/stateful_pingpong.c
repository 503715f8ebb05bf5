/* Two ranks exchange messages for ever, without a choice. Meanwhile the others do something wrong, which is found, and
 * its schedule is executed again. */
/* smpi: ranks 6 */
/* smpi: verify --stateful --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-states 11 */
#include <mpi.h>
#include <smpi/smpi.h>

int main(int argc, char **argv) {
    int rank, size, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while (rank == 0) {
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    while (rank == 1) {
        MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    if (rank == 2)
        for (int i = 3; i < size; i++) {
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MC_assert(i != 4 || x != 3);
        }
    else
        MPI_Send(&rank, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
