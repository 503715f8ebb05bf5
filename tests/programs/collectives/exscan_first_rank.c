/* smpi: ranks 5 */
/* smpi: expect-pass */
/* "recvbuf is not significant on process 0" of an MPI_Exscan (MPI 5.0 section 6.11.2): it may be null there.
   MPICH 4.0.2 deviates: it refuses that. */
#include "../check.h"

int main(int argc, char **argv)
{
    int value, result = -1;
    MPI_Request request;

    check_begin(&argc, &argv);
    value = check_rank + 1;
    CHECK_OK(MPI_Exscan(&value, check_rank == 0 ? NULL : &result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(result, check_rank == 0 ? -1 : check_rank * (check_rank + 1) / 2);
    CHECK_INT(value, check_rank + 1);
    result = -1;
    CHECK_OK(MPI_Iexscan(&value, check_rank == 0 ? NULL : &result, 1, MPI_INT, MPI_PROD, MPI_COMM_WORLD, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_INT(result, check_rank == 0 ? -1 : check_rank == 1 ? 1 : check_rank == 2 ? 2 : check_rank == 3 ? 6 : 24);
    return check_end();
}
