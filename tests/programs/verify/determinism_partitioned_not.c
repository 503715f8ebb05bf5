/* Partitions become ready in an order that depends on a race; the operations are always the same, and so are those that
 * are made again and again. */
/* smpi: ranks 3 */
/* smpi: verify --determinism communication */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=4 infinite=4 */
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, in[2], out[2] = {1, 2};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 2; round++) {
        MPI_Request requests[2];
        int to = (rank + 1) % 3, from = (rank + 2) % 3, first = rank, flag;
        MPI_Psend_init(out, 2, 1, MPI_INT, to, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
        MPI_Precv_init(in, 2, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
        MPI_Startall(2, requests);
        if (rank == 0)
            MPI_Pready_range(0, 1, requests[0]);
        if (rank == 1) {
            MPI_Parrived(requests[1], 0, &flag);
            first = flag;
        }
        if (rank > 0) {
            MPI_Pready(first % 2, requests[0]);
            MPI_Pready(1 - first % 2, requests[0]);
        }
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
    }
    MPI_Finalize();
    return 0;
}
