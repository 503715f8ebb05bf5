/* smpi: ranks 1 */
/* smpi: expect-pass */
/* Packing into too little space, and unpacking beyond the end, are errors and leave the position alone.
 * MPICH 4.0.2 deviates: it does not check the space. */
#include "../check.h"

int main(int argc, char **argv)
{
    int values[4] = {1, 2, 3, 4}, position = 0;
    char buffer[64] = {0};

    check_begin(&argc, &argv);
    check_errors_return();
    CHECK(MPI_Pack(values, 4, MPI_INT, buffer, 8, &position, MPI_COMM_WORLD) != MPI_SUCCESS);
    CHECK_INT(position, 0);
    CHECK_INT(buffer[8], 0);
    CHECK_OK(MPI_Pack(values, 2, MPI_INT, buffer, 8, &position, MPI_COMM_WORLD));
    CHECK_INT(position, 8);
    position = 4;
    CHECK(MPI_Unpack(buffer, 8, &position, values, 2, MPI_INT, MPI_COMM_WORLD) != MPI_SUCCESS);
    CHECK_INT(position, 4);
    return check_end();
}
