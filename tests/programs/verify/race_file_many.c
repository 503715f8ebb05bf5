/* smpi: ranks 3 */
/* smpi: expect-finding race/file */
/* smpi: verify --keep-going */
/* Among many accesses, most of which are known to be over everywhere or are parts of a long row of one rank's, one that
 * another rank has not heard of is still found. */
#include <mpi.h>

enum { MANY = 300 };

int main(int argc, char **argv)
{
    MPI_File file;
    int rank, i, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "race_file_many.dat", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    for (i = 0; i < MANY; i++) {
        MPI_File_write_at(file, (rank * MANY + i) * 8, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        if (i < MANY / 3)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    /* This one is known, the next one is not. */
    if (rank == 1)
        MPI_File_read_at(file, MANY / 6 * 8, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_File_read_at(file, (MANY - 20) * 8, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
