/* Persistent collective operations with a root that need not wait for anybody, or on which nobody need wait for the
   root: where sends are buffered, a rank may have started all its rounds before another one starts the first. Calls of
   the same round belong together, and the counts of ranks differ. */
/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions 1 */
/* smpi: passes mpi/collective-mismatch */
#include <assert.h>
#include <mpi.h>

#define ROOT 1
#define MOST 6

int main(int argc, char **argv) {
    int rank, size, counts[3] = {2, 3, 4}, places[3] = {0, 2, 5}, all[9], own[4] = {0}, sum = 0;
    MPI_Request requests[5];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 9; i++)
        all[i] = i;
    MPI_Scatterv_init(all, counts, places, MPI_INT, own, counts[rank], MPI_INT, ROOT, MPI_COMM_WORLD, MPI_INFO_NULL,
        &requests[0]);
    MPI_Gatherv_init(own, counts[rank], MPI_INT, all, counts, places, MPI_INT, ROOT, MPI_COMM_WORLD, MPI_INFO_NULL,
        &requests[1]);
    MPI_Bcast_init(&sum, 1, MPI_INT, ROOT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
    MPI_Reduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, ROOT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]);
    MPI_Scan_init(&rank, &own[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[4]);
    for (int which = 0; which < 5; which++) {
        /* As many rounds as there are ranks, and other numbers: so many calls may come of one rank. */
        for (int round = 0; round < MOST; round++) {
            MPI_Start(&requests[which]);
            MPI_Wait(&requests[which], MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&requests[which]);
    }
    assert(own[0] == rank * (rank + 1) / 2 && (rank != ROOT || all[8] == 8));
    MPI_Finalize();
    return 0;
}
