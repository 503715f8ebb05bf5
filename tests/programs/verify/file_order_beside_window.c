/* Rank 0's access to a window comes between its turn at a file and rank 1's request for one. That request does not
 * depend on what rank 0 knows, so rank 1 may also be the first at the file: all orders at both files are explored. */
/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* smpi: expect-executions zero=4 infinite=4 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv) {
    int rank, first = -1, *memory;
    MPI_File file, other;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    MPI_File_open(MPI_COMM_WORLD, "beside_window.1", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_open(MPI_COMM_WORLD, "beside_window.2", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &other);
    if (rank == 0) {
        MPI_File_write_shared(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    } else {
        MPI_File_write_shared(other, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_File_write_shared(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_File_read_at(file, 0, &first, 1, MPI_INT, MPI_STATUS_IGNORE);
    assert(rank != 0 || first == 0);
    MPI_File_close(&other);
    MPI_File_close(&file);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
