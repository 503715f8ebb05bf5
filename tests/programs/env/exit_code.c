/* smpi: ranks 3 */
/* smpi: expect-exit 5 */
/* The exit code of a rank that fails after MPI_Finalize is that of the run. */
#include "../check.h"

int main(int argc, char **argv)
{
    int code;

    check_begin(&argc, &argv);
    code = check_end();
    return check_rank == 1 ? 5 : code;
}
