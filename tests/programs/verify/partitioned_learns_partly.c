/* smpi: ranks 5 */
/* smpi: verify */
/* smpi: expect-no-finding */
/* smpi: expect-complete */
/* smpi: expect-executions zero=1 infinite=1 */
/* smpi: reductions dpor=43 */
/* Rank 1 polls for a partition of rank 2, which has taken a message of anybody before: what it sends then is not that
 * one. How often it polls makes no difference. */
#include "parts/partitioned_learns.h"

static void work(int rank)
{
    int parts[2] = {3, 4}, there = 0;
    MPI_Request request;

    if (rank == 0) {
        exchange(2, 1);
    } else if (rank == 1) {
        MPI_Precv_init(parts, 2, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        while (!there)
            MPI_Parrived(request, 1, &there);
        exchange(2, 1);
        finish(&request);
    } else {
        exchange(MPI_ANY_SOURCE, 0);
        MPI_Psend_init(parts, 2, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
        finish(&request);
        exchange(1, 0);
    }
}
