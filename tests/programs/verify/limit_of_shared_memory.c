/* Ranks of one host share memory: rank 1 waits for a store of rank 0, or the other way round. Right, and who never gets
 * its turn here is not at fault. */
/* smpi: ranks 2 */
/* smpi: platform none */
/* smpi: verify --buffering zero --call-timeout 0.1 */
/* smpi: expect-no-finding */
/* smpi: expect-incomplete */
/* smpi: passes non-termination */
/* smpi: expect-stderr-contains (--call-timeout */
#include <mpi.h>
#include <stdatomic.h>

int main(int argc, char **argv) {
    int rank, unit;
    MPI_Aint size;
    _Atomic int *flag;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(rank == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &flag, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &flag);
    MPI_Win_lock_all(0, window);
    if (rank == 0)
        atomic_store(flag, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        atomic_store(flag, 1);
    else
        while (!atomic_load(flag))
            ;
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
