/* All ranks take turns with an element of a window. */
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, size, *shared, seen = 0;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
    for (int round = 0; round < 2; round++) {
        int other = seen + rank;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Fetch_and_op(&other, &seen, MPI_INT, 0, 0, MPI_REPLACE, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
