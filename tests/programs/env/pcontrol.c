/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Pcontrol takes any level and any further arguments, and does nothing by itself (MPI 5.0 section 15.2.4). */
#include "../check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK_OK(MPI_Pcontrol(0));
    CHECK_OK(MPI_Pcontrol(1));
    CHECK_OK(MPI_Pcontrol(2, "a region", 3));
    return check_end();
}
