// smpi: ranks 2
// smpi: requires smpi
// smpi: expect-exit 139
// smpi: expect-stderr-contains a buffer of rank 1 that was given to MPI
/* A receive buffer that cannot be written to is not blamed on the sender, though a long message for a rank that waits is
 * copied in the sender's call. */
#include <mpi.h>

static const char constants[4096] = "not to be written to";

int main(int argc, char **argv)
{
    static char message[4096];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(message, 4096, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Send(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        MPI_Recv((char *)constants, 4096, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
