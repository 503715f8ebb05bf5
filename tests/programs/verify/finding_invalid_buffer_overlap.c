/* Buffers of one call that overlap in part: a datatype that receives a byte twice, both halves of MPI_Sendrecv, blocks of
 * collectives. */
/* smpi: ranks 2 */
/* smpi: verify --keep-going */
/* smpi: expect-finding mpi/invalid/buffer */
#include <mpi.h>

#define COMM MPI_COMM_WORLD

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, value[8] = {0}, all[8];
    MPI_Comm_rank(COMM, &rank);
    const int other = 1 - rank, lengths[] = {2, 2}, places[] = {0, 1};
    int counts[] = {2, 2}, starts[] = {0, 1};
    MPI_Datatype twice;
    MPI_Type_indexed(2, lengths, places, MPI_INT, &twice);
    MPI_Type_commit(&twice);
    MPI_Request request;
    MPI_Isend(value, 4, MPI_INT, other, 0, COMM, &request);
    MPI_Recv(all, 1, twice, other, 0, COMM, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&value[0], 2, MPI_INT, other, 0, &value[1], 2, MPI_INT, other, 0, COMM, MPI_STATUS_IGNORE);
    MPI_Gatherv(value, 2, MPI_INT, all, counts, starts, MPI_INT, 0, COMM);
    MPI_Allreduce(&value[0], &value[2], 3, MPI_INT, MPI_SUM, COMM);
    MPI_Bcast(all, 1, twice, 0, COMM);
    MPI_Type_free(&twice);
    MPI_Finalize();
    return 0;
}
