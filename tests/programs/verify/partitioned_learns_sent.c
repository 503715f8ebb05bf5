/* smpi: ranks 5 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=2 */
/* smpi: reductions dpor=1 */
/* Rank 1 takes a message of anybody, then gets partitions of rank 2. Where nothing is buffered, these are sent only then,
 * so what rank 2 sends afterwards is not that message. */
#include "parts/partitioned_learns.h"

static void work(int rank)
{
    int parts[2] = {3, 4};
    MPI_Request request;

    if (rank == 0) {
        exchange(1, 1);
    } else if (rank == 1) {
        exchange(MPI_ANY_SOURCE, 0);
        MPI_Precv_init(parts, 2, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        finish(&request);
        exchange(MPI_ANY_SOURCE, 0);
    } else {
        MPI_Psend_init(parts, 2, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
        finish(&request);
        exchange(1, 1);
    }
}
