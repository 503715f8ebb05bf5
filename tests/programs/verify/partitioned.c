/* Partitioned operations leave no choice, whatever the order in which partitions are ready, however each side cuts the
 * data, and for several rounds: one execution. */
/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: passes deadlock race/buffer mpi/truncate leak/request */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int in[6], out[6];
    MPI_Request requests[2];
    MPI_Psend_init(out, 3, 2, MPI_INT, (rank + 1) % 3, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, 2, 3, MPI_INT, (rank + 2) % 3, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 3; round++) {
        MPI_Startall(2, requests);
        for (int i = 0; i < 3; i++) {
            int which = (i + rank + round) % 3;
            out[2 * which] = out[2 * which + 1] = 100 * round + 10 * rank + which;
            MPI_Pready(which, requests[0]);
        }
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 6; i++)
            assert(in[i] == 100 * round + 10 * ((rank + 2) % 3) + i / 2);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Finalize();
    return 0;
}
