/* A message that is longer than what the receive has room for comes first, or a rank divides by what it got: truncation
   and crash have their decisions, too. */
/* smpi: ranks 4 */
/* smpi: verify --keep-going */
/* smpi: expect-finding mpi/truncate */
/* smpi: expect-finding crash */
/* smpi: expect-explanation inevitable since rank 0's MPI_Recv at explain_crash.c:17 took the message that rank 2 sent at explain_crash.c:24 */
/* smpi: expect-explanation inevitable since rank 0's MPI_Recv at explain_crash.c:17 took the message that rank 3 sent at explain_crash.c:24 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, got[3] = {0}, zero = 0, *nowhere = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Status status;
        MPI_Recv(got, 2, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        if (status.MPI_SOURCE == 2)
            *nowhere = 1;
        MPI_Recv(got, 3, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        MPI_Recv(got, 3, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    } else {
        int sent[3] = {rank, zero, zero};
        MPI_Send(sent, rank, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
