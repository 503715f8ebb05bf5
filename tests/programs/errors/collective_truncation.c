/* smpi: ranks 2 */
/* smpi: requires smpi */
/* smpi: expect-pass */
/* smpi: verified mpi/collective-mismatch */
/* A collective whose parts do not fit reports an error on the rank that gets too much, and does not write beyond its buffer. */
#include "../check.h"

int main(int argc, char **argv)
{
    int values[8] = {1, 2, 3, 4, 5, 6, 7, 8};

    check_begin(&argc, &argv);
    check_errors_return();
    if (check_rank == 0)
        CHECK_OK(MPI_Bcast(values, 8, MPI_INT, 0, MPI_COMM_WORLD));
    else {
        memset(values, 0, sizeof values);
        CHECK_ERROR(MPI_Bcast(values, 4, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_TRUNCATE);
        CHECK_INT(values[4], 0);
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    return check_end();
}
