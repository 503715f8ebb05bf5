/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=6 infinite=6 */
/* Rank 1 counts its polls in memory of rank 0 that they share. */
#include <mpi.h>
#define POLLER 1

static volatile int *polls;
static MPI_Win window;

static void begin(void)
{
    MPI_Aint size;
    int rank, unit, *own;
    void *first;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
    MPI_Win_lock_all(0, window);
    *own = 0;
    MPI_Win_shared_query(window, 0, &size, &unit, &first);
    polls = first;
    MPI_Barrier(MPI_COMM_WORLD);
}

static int count(void) { return ++*polls; }

static void end(void)
{
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

#include "parts/polls_counted.h"
