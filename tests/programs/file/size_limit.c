/* smpi: ranks 1 */
/* smpi: requires smpi */
/* smpi: smpirun-args --profile-json=profile.json */
/* smpi: expect-pass */
/* smpi: verified exit-code */
/* The largest file that the system allows (RLIMIT_FSIZE) is an error of the file, and not the end of the program; what
 * smpirun writes itself may be longer. */
#include "file.h"

#include <sys/resource.h>

enum { LIMIT = 8192, WANTED = 5000 };

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Offset size;
    MPI_Status status;
    struct rlimit limit;
    char data[WANTED];

    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = LIMIT;
    setrlimit(RLIMIT_FSIZE, &limit);
    check_begin(&argc, &argv);
    memset(data, 'x', sizeof data);
    CHECK_OK(MPI_File_open(MPI_COMM_SELF, file_name("limit"),
                           MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    CHECK_OK(MPI_File_write(file, data, WANTED, MPI_CHAR, &status));
    CHECK_ERROR(MPI_File_write(file, data, WANTED, MPI_CHAR, &status), MPI_ERR_QUOTA);
    CHECK_INT(file_count(&status, MPI_CHAR), LIMIT - WANTED);
    CHECK_ERROR(MPI_File_write_at(file, LIMIT, data, 1, MPI_CHAR, &status), MPI_ERR_QUOTA);
    CHECK_INT(file_count(&status, MPI_CHAR), 0);
    CHECK_ERROR(MPI_File_set_size(file, LIMIT + 1), MPI_ERR_QUOTA);
    CHECK_ERROR(MPI_File_preallocate(file, LIMIT + 1), MPI_ERR_QUOTA);
    CHECK_OK(MPI_File_get_size(file, &size));
    CHECK_INT(size, LIMIT);
    CHECK_OK(MPI_File_set_size(file, 10));
    CHECK_OK(MPI_File_close(&file));
    return check_end();
}
