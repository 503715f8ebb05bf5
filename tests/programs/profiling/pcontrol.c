/* smpi: ranks 1 */
/* smpi: expect-pass */
/* MPI_Pcontrol takes any level and any further arguments, and does nothing that can be seen without a tool (MPI 5.0
 * section 15.2.4). */
#include "../check.h"

int main(int argc, char **argv)
{
    double begin;

    check_begin(&argc, &argv);
    begin = MPI_Wtime();
    CHECK_OK(MPI_Pcontrol(0));
    CHECK_OK(MPI_Pcontrol(1));
    CHECK_OK(MPI_Pcontrol(2, "a text", 1.5, &begin));
    CHECK_OK(MPI_Pcontrol(7, 1, 2, 3, 4, 5, 6, 7, 8));
    CHECK_OK(MPI_Pcontrol(-3));
    CHECK_OK(PMPI_Pcontrol(1));
    CHECK(MPI_Wtime() - begin < 1.0);
    return check_end();
}
