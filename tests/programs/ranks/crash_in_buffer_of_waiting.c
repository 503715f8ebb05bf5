// smpi: ranks 2
// smpi: requires smpi
// smpi: expect-exit 139
// smpi: expect-stderr-contains a buffer of rank 1 that was given to MPI
/* A receive buffer that cannot be written to any more is not blamed on the sender, though a long message for a rank that
 * waits is copied in the sender's call. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdlib.h>
#include <sys/mman.h>

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
        char *block = aligned_alloc(4096, 4096);
        MPI_Request request;
        MPI_Irecv(block, 4096, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
        mprotect(block, 4096, PROT_READ);
        MPI_Send(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
