/* smpi: ranks 3 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* MPI_MODE_SEQUENTIAL leaves only accesses by the shared file pointer; MPI_MODE_APPEND begins at the end (MPI 5.0
 * section 14.2.1). */
#include "file.h"

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Offset offset;
    const char *name;
    int data = 7 + 0;

    check_begin(&argc, &argv);
    name = file_name("sequential");
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL,
                           &file));
    CHECK_ERROR(MPI_File_write_at(file, 0, &data, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK_ERROR(MPI_File_seek(file, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
    data = check_rank;
    CHECK_OK(MPI_File_write_ordered(file, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    data = 10 + check_rank;
    CHECK_OK(MPI_File_write_ordered(file, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&file));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_APPEND | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_get_position(file, &offset));
    CHECK_INT(offset, 24);
    CHECK_OK(MPI_File_get_position_shared(file, &offset));
    CHECK_INT(offset, 24);
    CHECK_OK(MPI_File_read_at(file, 12 + 4 * check_rank, &data, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_INT(data, 10 + check_rank);
    CHECK_OK(MPI_File_close(&file));
    return check_end();
}
