/* Two ranks send to each other before they receive: a matter of buffering, and of nothing that rank 2 takes. */
/* smpi: ranks 5 */
/* smpi: verify */
/* smpi: expect-finding deadlock/buffering */
/* smpi: expect-explanation it depends on buffering only: all 2 executions fail with zero buffering */
/* smpi: expect-stderr-contains but where no send is */
/* smpi: expect-stderr-contains smpirun --compute=off --cfg=smpi/send-is-detached-thresh:0 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank < 2) {
        MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 2) {
        for (int i = 0; i < 2; i++)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
