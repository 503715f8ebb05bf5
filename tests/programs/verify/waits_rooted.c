/* smpi: ranks 3 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: verified deadlock */
/* smpi: expect-executions zero=1 infinite=16 */
/* smpi: verified memory/uninitialised */
/* The root of a broadcast or scatter need not wait for anybody, nor need the leaves of a gather or reduction
   (MPI 5.0 section 6.1): then the message that rank 0 sends afterwards may come before that of rank 2. */
#include "parts/waits.h"

int main(int argc, char **argv) {
    int data[3] = {1, 2, 3}, all[9];
    start(&argc, &argv);
    EARLY(MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD));
    EARLY(MPI_Scatter(all, 1, MPI_INT, data, 1, MPI_INT, 0, MPI_COMM_WORLD));
    EARLY(MPI_Gather(data, 1, MPI_INT, all, 1, MPI_INT, 1, MPI_COMM_WORLD));
    EARLY(MPI_Reduce(data, all, 3, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD));
    MUST_WAIT(MPI_Gather(data, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD));
    MUST_WAIT(MPI_Reduce(data, all, 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
    MUST_WAIT(MPI_Bcast(data, 1, MPI_INT, 1, MPI_COMM_WORLD));
    MUST_WAIT(MPI_Scatter(all, 1, MPI_INT, data, 1, MPI_INT, 1, MPI_COMM_WORLD));
    MPI_Finalize();
    return 0;
}
