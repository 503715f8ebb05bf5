/* Only one of the workers has sent something before: they are not interchangeable, and the verdict says so. */
/* smpi: ranks 4 */
/* smpi: verify --symmetric 1-3 */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: expect-stderr-contains are not interchangeable, leave out */
/* smpi: requires smpi */
#include <mpi.h>

static void worker(int rank) {
    int own;
    if (rank == 2)
        MPI_Sendrecv(&rank, 1, MPI_INT, rank, 5, &own, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void judge(const int *from, int size) {}

#include "parts/results.h"
