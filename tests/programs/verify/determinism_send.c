/* Rank 0 answers in the order of the questions: whom it sends to first differs. What it prints does not. */
/* smpi: ranks 3 */
/* smpi: verify --determinism send */
/* smpi: expect-finding determinism/send */
/* smpi: expect-executions zero=2 */
/* smpi: compile-args -g */
/* smpi: expect-explanation one execution: send number 1 of rank 0 goes to rank 1 with tag 1 and 4 bytes at determinism_send.c:24 (--replay */
/* smpi: expect-explanation another: send number 1 of rank 0 goes to rank 2 with tag 1 and 4 bytes at determinism_send.c:24 (--replay */
/* smpi: reductions none=112 dpor=2 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size, x = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 1; rank == 0 && i < size; i++) {
        MPI_Status status;
        MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Send(&x, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
