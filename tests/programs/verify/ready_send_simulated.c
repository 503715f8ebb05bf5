/* A simulation with --strict judges ready mode by causality, too, although the receive happens to be there. */
/* smpi: requires smpi */
/* smpi: ranks 2 */
/* smpi: smpirun-args --strict */
/* smpi: expect-exit 1 */
/* smpi: expect-stderr-contains warning: mpi/ready-send: rank 0 sends a message with tag 0 to rank 1 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (double start = MPI_Wtime(); MPI_Wtime() < start + 1;)
            ;
        MPI_Rsend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
