/* smpi: ranks 2 */
/* smpi: verify */
/* smpi: expect-finding non-termination */
/* Both ranks poll for a message of the other, which nobody sends, and ask between two polls what has the same answer at
 * any time. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value, here = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    do {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Test(&request, &here, MPI_STATUS_IGNORE);
    } while (!here);
    MPI_Finalize();
    return 0;
}
