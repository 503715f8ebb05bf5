/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* What all ranks must give alike is compared. */
#include "file.h"

int main(int argc, char **argv)
{
    MPI_File file;
    const char *name;
    int modes[2] = {MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_MODE_WRONLY | MPI_MODE_CREATE};

    check_begin(&argc, &argv);
    name = file_name("not-same");
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, name, modes[check_rank], MPI_INFO_NULL, &file), MPI_ERR_NOT_SAME);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, modes[0] | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    CHECK_ERROR(MPI_File_set_size(file, 10 + check_rank), MPI_ERR_NOT_SAME);
    CHECK_ERROR(MPI_File_seek_shared(file, 10 + check_rank, MPI_SEEK_SET), MPI_ERR_NOT_SAME);
    CHECK_ERROR(MPI_File_set_atomicity(file, check_rank), MPI_ERR_NOT_SAME);
    CHECK_OK(MPI_File_close(&file));
    return check_end();
}
