/* smpi: ranks 1 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* A function that this library does not have yet returns MPI_ERR_UNSUPPORTED_OPERATION through the error handler. */
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 0;
    MPI_Win window;

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window),
                MPI_ERR_UNSUPPORTED_OPERATION);
    return check_end();
}
