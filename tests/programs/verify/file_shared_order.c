/* smpi: ranks 3 */
/* smpi: verify --keep-going */
/* smpi: expect-finding assertion */
/* smpi: expect-complete */
/* The program takes it for granted that rank 0 is the first at the shared file pointer, which holds in two of six
 * orders. */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_File file;
    int rank, first = -1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "file_shared_order.dat", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_write_shared(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_File_read_at(file, 0, &first, 1, MPI_INT, MPI_STATUS_IGNORE);
    assert(rank != 1 || first == 0);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
