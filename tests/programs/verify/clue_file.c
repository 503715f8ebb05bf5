/* A rank that fails by what it has read of a file: who has written these bytes, and who has written others. */
/* smpi: ranks 2 */
/* smpi: compile-args -g */
/* smpi: verify */
/* smpi: requires smpi */
/* smpi: expect-finding assertion */
/* smpi: expect-stderr-contains file: rank 1 looked last at bytes 4 to 7 of */
/* smpi: expect-stderr-contains nobody has */
/* smpi: expect-stderr-contains bytes 16 to 19 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 7;
    MPI_File file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "clue_file.data", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
        MPI_INFO_NULL, &file);
    /* Without a view, places are bytes. */
    if (rank == 0)
        MPI_File_write_at(file, 4 * sizeof(int), &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    if (rank == 1) {
        value = 0;
        MPI_File_read_at(file, 4, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        assert(value == 7);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
