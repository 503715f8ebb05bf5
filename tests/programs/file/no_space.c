/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: verified exit-code race/file */
/* A full device is an error of its own class. */
#include "file.h"

enum { WANTED = 5000 };

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    char data[WANTED];

    check_begin(&argc, &argv);
    memset(data, 'x', sizeof data);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
    CHECK_ERROR(MPI_File_write(file, data, WANTED, MPI_CHAR, &status), MPI_ERR_NO_SPACE);
    CHECK_INT(file_count(&status, MPI_CHAR), 0);
    CHECK_OK(MPI_File_iwrite(file, data, WANTED, MPI_CHAR, &request));
    CHECK_ERROR(MPI_Wait(&request, &status), MPI_ERR_NO_SPACE);
    CHECK_OK(MPI_File_close(&file));

    /* A directory is no file. */
    CHECK_ERROR(MPI_File_open(MPI_COMM_WORLD, "/tmp", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_BAD_FILE);
    return check_end();
}
