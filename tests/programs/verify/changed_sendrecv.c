/* Without access reports: the send half of a combined operation is changed before it is complete, noticed by its content. */
/* smpi: requires smpi */
/* smpi: ranks 2 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding race/buffer */
/* smpi: expect-stderr-contains changed the send buffer of MPI_Isendrecv */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int mine = rank, other;
    MPI_Request request;
    MPI_Isendrecv(&mine, 1, MPI_INT, 1 - rank, 0, &other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    mine = 5;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
