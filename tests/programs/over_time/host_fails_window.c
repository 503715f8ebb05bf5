/* smpi: ranks 3 */
/* smpi: platform failing.toml */
/* smpi: expect-exit 5 */
/* smpi: expect-stderr-contains host node-1 failed at 1.000000 s: rank 1 ended */
/* smpi: expect-stdout rank 0: flush 58, unlock 58, lock 58, other 0 */
/* smpi: twice */
/* smpi: requires smpi */
/* A host fails whose memory others access: what completes their accesses says so (MPI 5.0 §9.4), and later locks do.
 * Windows of other ranks are as they were. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, memory = 0, value = 3;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win window;
    MPI_Win_create(&memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        smpi_execute_flops(2e9);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        int flush = MPI_Win_flush(1, window);
        int unlock = MPI_Win_unlock(1, window);
        int lock = MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, window);
        MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        int other = MPI_Win_unlock(2, window);
        printf("rank 0: flush %d, unlock %d, lock %d, other %d\n", flush, unlock, lock, other);
        fflush(stdout);
    } else {
        smpi_execute_flops(1e10);
    }
    MPI_Finalize();
    return 0;
}
