/* Both ranks poll for a message of the other, which nobody sends, and call something else between two polls. They find
   nothing, for ever, whatever is chosen. */
/* smpi: ranks 2 */
/* smpi: verify --stateful */
/* smpi: expect-finding livelock */
/* smpi: expect-stderr-contains cannot end any more: ranks poll */
#include <mpi.h>

#ifndef BETWEEN
#define BETWEEN MPI_Comm_set_name(MPI_COMM_SELF, "itself")
#endif

int main(int argc, char **argv) {
    int rank, value, here = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    do {
        BETWEEN;
        MPI_Test(&request, &here, MPI_STATUS_IGNORE);
    } while (!here);
    MPI_Finalize();
    return 0;
}
