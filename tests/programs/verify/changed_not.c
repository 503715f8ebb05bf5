/* Without access reports: nonblocking collectives and combined operations whose buffers nobody touches, in place and with
 * several at once from one send buffer. */
/* smpi: requires smpi */
/* smpi: ranks 4 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int mine[4] = {rank, rank + 1, rank + 2, rank + 3}, all[16], sums[4], parts[4], other = 0, root = rank, turned = rank;
    MPI_Request requests[9];
    MPI_Iallgather(mine, 4, MPI_INT, all, 4, MPI_INT, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(mine, sums, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    MPI_Ialltoall(mine, 1, MPI_INT, parts, 1, MPI_INT, MPI_COMM_WORLD, &requests[2]);
    MPI_Isendrecv(mine, 1, MPI_INT, next, 0, &other, 1, MPI_INT, before, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Isendrecv_replace(&turned, 1, MPI_INT, next, 1, before, 1, MPI_COMM_WORLD, &requests[4]);
    MPI_Ibcast(&root, 1, MPI_INT, 2, MPI_COMM_WORLD, &requests[5]);
    int places[4] = {0, rank, 0, 0};
    MPI_Iallreduce(MPI_IN_PLACE, places, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &requests[6]);
    int scanned;
    MPI_Iscan(mine, &scanned, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[7]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[8]);
    MPI_Waitall(9, requests, MPI_STATUSES_IGNORE);
    mine[0] = other = turned = root;
    MPI_Finalize();
    return 0;
}
