/* smpi: ranks 1 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* A function that this library does not have yet returns MPI_ERR_UNSUPPORTED_OPERATION. */
#include "../check.h"

int main(int argc, char **argv)
{
    int stamp;

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK_ERROR(MPI_T_category_changed(&stamp), MPI_ERR_UNSUPPORTED_OPERATION);
    return check_end();
}
