/* Without access reports: the send buffer of a nonblocking collective operation is changed before it is complete. */
/* smpi: requires smpi */
/* smpi: ranks 3 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding race/buffer */
/* smpi: expect-stderr-contains changed the send buffer of MPI_Iallreduce */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, sum;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int mine = rank;
    MPI_Request request;
    MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    mine = 5;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
