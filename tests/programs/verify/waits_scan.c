/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: verified deadlock */
/* smpi: expect-executions zero=1 infinite=32 */
/* In a scan a rank needs the operands of lower ranks only. Who gets no element from a rank does not wait for it, and no
   operation without elements waits for anybody, unless it is a barrier (MPI 5.0 section 6.1). */
#include "parts/waits.h"

int main(int argc, char **argv) {
    int data[3] = {1, 2, 3}, result[9], counts[3] = {0, 1, 1}, places[3] = {0, 1, 2}, nothing[3] = {0, 0, 0};
    start(&argc, &argv);
    EARLY(MPI_Scan(data, result, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    EARLY(MPI_Exscan(data, result, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    EARLY(MPI_Reduce_scatter(data, result, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    EARLY(MPI_Allreduce(data, result, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    EARLY(MPI_Alltoallv(data, rank ? counts : nothing, places, MPI_INT, result, rank ? counts : nothing, places, MPI_INT,
                        MPI_COMM_WORLD));
    MUST_WAIT(MPI_Allreduce(data, result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    MUST_WAIT(MPI_Allgatherv(data, counts[rank], MPI_INT, result, counts, places, MPI_INT, MPI_COMM_WORLD));
    MUST_WAIT(MPI_Alltoall(data, 1, MPI_INT, result, 1, MPI_INT, MPI_COMM_WORLD));
    MPI_Finalize();
    return 0;
}
