/* smpi: ranks 2 */
/* smpi: library parts/tool.c */
/* smpi: expect-pass */
/* The MPI functions of a library that the program is linked with come before the MPI library's (MPI 5.0 section 15.2). */
#include "../check.h"

int tool_receives(void);

int main(int argc, char **argv)
{
    int value = 3;

    check_begin(&argc, &argv);
    if (check_rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        PMPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_INT(tool_receives(), 1);
    }
    return check_end();
}
