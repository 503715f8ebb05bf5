/* smpi: ranks 4 */
/* smpi: expect-pass */
/* Types of empty blocks of MPI_Alltoallw may be MPI_DATATYPE_NULL, as in other MPIs; MPI_IN_PLACE is no receive buffer. */
#include "../check.h"

int main(int argc, char **argv)
{
    int counts[4] = {0}, displs[4] = {0}, value, result = -1;
    MPI_Datatype types[4];

    check_begin(&argc, &argv);
    check_errors_return();
    value = 7 * check_rank;
    for (int rank = 0; rank < 4; rank++)
        types[rank] = MPI_DATATYPE_NULL;
    counts[check_rank ^ 1] = 1;
    types[check_rank ^ 1] = MPI_INT;
    CHECK_OK(MPI_Alltoallw(&value, counts, displs, types, &result, counts, displs, types, MPI_COMM_WORLD));
    CHECK_INT(result, 7 * (check_rank ^ 1));

    types[check_rank ^ 1] = MPI_DATATYPE_NULL;
    CHECK_ERROR(MPI_Alltoallw(&value, counts, displs, types, &result, counts, displs, types, MPI_COMM_WORLD),
                MPI_ERR_TYPE);
    types[check_rank ^ 1] = MPI_INT;
    CHECK_ERROR(MPI_Alltoallw(&value, counts, displs, types, MPI_IN_PLACE, counts, displs, types, MPI_COMM_WORLD),
                MPI_ERR_BUFFER);
    return check_end();
}
