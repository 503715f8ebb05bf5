/* The same where the order of atomic accesses decides. */
/* smpi: ranks 3 */
/* smpi: verify --buffering zero */
/* smpi: expect-finding race/message */
/* smpi: expect-stderr-contains MPI_Fetch_and_op at place_of_atomic_order.c:20 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int rank, one = 1, old = 0, *memory;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    *memory = 0;
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0)
        MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, window);
    MPI_Win_unlock_all(window);
    printf("%d\n", old);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
