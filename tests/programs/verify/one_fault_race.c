/* Buffers of sends that are not over are written in a loop, by all ranks: that is one fault. That they were changed is
 * noticed a second time when the sends are waited for. */
/* smpi: ranks 2 */
/* smpi: compile-args --verify */
/* smpi: verify --keep-going */
/* smpi: expect-finding race/buffer */
/* smpi: expect-faults race/buffer=1 */
/* smpi: expect-guises race/buffer=1 */
/* smpi: expect-occurrences 2 */
/* smpi: expect-complete */
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, sent[3] = {0}, got[3];
    MPI_Request requests[6];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        MPI_Irecv(&got[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[3 + i]);
        MPI_Isend(&sent[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[i]);
        sent[i] = rank + 1;
    }
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
