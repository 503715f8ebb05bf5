/* smpi: ranks 1 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* A function that this library does not have yet returns MPI_ERR_UNSUPPORTED_OPERATION through the error handler. */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_File file;

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(MPI_File_open(MPI_COMM_SELF, "data", MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
                MPI_ERR_UNSUPPORTED_OPERATION);
    return check_end();
}
