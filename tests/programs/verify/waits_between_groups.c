/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: verified deadlock */
/* smpi: expect-executions zero=1 infinite=8 */
/* Between two groups, ranks wait for the other one at most (MPI 5.0 section 6.3 to 6.10); here rank 0 and 2 are one group. */
#include "parts/waits.h"

int main(int argc, char **argv) {
    int data[3] = {1, 2, 3}, result[3];
    MPI_Comm own, between;
    start(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1, rank, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank == 1 ? 0 : 1, 0, &between);
    EARLY(MPI_Reduce(data, result, 1, MPI_INT, MPI_SUM, rank == 1 ? MPI_ROOT : 0, between));
    EARLY(MPI_Gather(data, 1, MPI_INT, result, 1, MPI_INT, rank == 1 ? MPI_ROOT : 0, between));
    EARLY(MPI_Bcast(data, 1, MPI_INT, rank == 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, between));
    MUST_WAIT(MPI_Barrier(between));
    MUST_WAIT(MPI_Allreduce(data, result, 1, MPI_INT, MPI_SUM, between));
    MUST_WAIT(MPI_Bcast(data, 1, MPI_INT, rank == 1 ? MPI_ROOT : 0, between));
    MPI_Comm_free(&between);
    MPI_Comm_free(&own);
    MPI_Finalize();
    return 0;
}
