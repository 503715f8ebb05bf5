/* smpi: ranks 2 */
/* smpi: expect-pass */
/* A file that was deleted is gone: it can be neither opened nor deleted again, until it is made anew, and then it is
 * empty (MPI 5.0 section 14.2.3). What was written before was given to the disk (section 14.6.1). */
#include "file.h"

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Offset size = -1;
    const char *name;
    int value = 3;

    check_begin(&argc, &argv);
    name = file_name("deleted");
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_write_at(file, check_rank * sizeof value, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_sync(file));
    CHECK_OK(MPI_File_close(&file));
    if (check_rank == 0)
        CHECK_OK(MPI_File_delete(name, MPI_INFO_NULL));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file), MPI_ERR_NO_SUCH_FILE);
    CHECK_ERROR(MPI_File_delete(name, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_get_size(file, &size));
    CHECK_INT(size, 0);
    CHECK_OK(MPI_File_close(&file));
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        CHECK_OK(MPI_File_delete(name, MPI_INFO_NULL));
    return check_end();
}
