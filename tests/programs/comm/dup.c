/* smpi: ranks 3 */
/* smpi: expect-pass */
/* A duplicate has the same group and another context; it outlives a freed original (MPI 5.0 section 7.4.2). */
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm first, second;
    int result, rank, sum = 0;

    check_begin(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_compare(MPI_COMM_WORLD, first, &result);
    CHECK_INT(result, MPI_CONGRUENT);
    MPI_Comm_dup(first, &second);
    MPI_Comm_free(&first);
    CHECK(first == MPI_COMM_NULL);
    MPI_Comm_rank(second, &rank);
    CHECK_INT(rank, check_rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, second);
    CHECK_INT(sum, 3);
    MPI_Comm_free(&second);
    return check_end();
}
