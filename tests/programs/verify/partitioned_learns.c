/* smpi: ranks 5 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
/* smpi: reductions dpor=1 */
/* Rank 2 takes a message of anybody, then rank 1 gets partitions of it, and sends: whoever knows what is in them knows
 * that the message was taken, so the one of rank 1 cannot be it. */
#include "parts/partitioned_learns.h"

static void work(int rank)
{
    int parts[2] = {3, 4};
    MPI_Request request;

    if (rank == 0) {
        exchange(2, 1);
    } else if (rank == 1) {
        MPI_Precv_init(parts, 2, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        finish(&request);
        exchange(2, 1);
    } else {
        exchange(MPI_ANY_SOURCE, 0);
        MPI_Psend_init(parts, 2, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
        finish(&request);
        exchange(1, 0);
    }
}
