/* smpi: ranks 3 */
/* smpi: expect-pass */
/* The receive count and type are ignored with MPI_IN_PLACE at the root of scatter, and the send ones in allgather (MPI 5.0 section 6.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    int data[3] = {-1, -1, -1}, one = -1;

    check_begin(&argc, &argv);
    if (check_rank == 1) {
        for (int i = 0; i < 3; i++)
            data[i] = 30 + i;
        MPI_Scatter(data, 1, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD);
        CHECK_INT(data[1], 31);
    } else {
        MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, &one, 1, MPI_INT, 1, MPI_COMM_WORLD);
        CHECK_INT(one, 30 + check_rank);
    }
    data[check_rank] = 60 + check_rank;
    MPI_Allgather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, data, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        CHECK_INT(data[i], 60 + i);
    return check_end();
}
