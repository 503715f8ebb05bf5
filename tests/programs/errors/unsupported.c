/* smpi: ranks 1 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* A function that this library does not have yet returns MPI_ERR_UNSUPPORTED_OPERATION through the error handler. */
#include "../check.h"

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME];

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(MPI_Open_port(MPI_INFO_NULL, port), MPI_ERR_UNSUPPORTED_OPERATION);
    return check_end();
}
